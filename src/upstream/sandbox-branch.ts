/** Sends every call of keys that callers.yaml puts into the sandbox there, and never to v1. */
import { within, type Clock } from '../domain/clock';
import type { CallContext, Upstream } from './upstream';

/**
 * `openSandbox` is called for every such call; the first time it may take long. When the sandbox does not open within the call's time,
 * nothing is sent anywhere, and a purchase gets the outcome `not_sent`.
 */
export function branchToSandbox(v1: Upstream, openSandbox: () => Promise<Upstream>, clock: Clock): Upstream {
  const sandboxFor = async ({ timeoutMs }: CallContext): Promise<Upstream | undefined> =>
    within(
      clock,
      timeoutMs,
      openSandbox().catch(() => undefined),
    );
  const isSandboxed = ({ credentials }: CallContext): boolean => credentials.sandboxOf !== undefined;
  return {
    send(call, requestId, context) {
      if (!isSandboxed(context)) return v1.send(call, requestId, context);
      return sandboxFor(context).then(
        (sandbox) =>
          sandbox?.send(call, requestId, context) ?? {
            outcome: { kind: 'not_sent', reason: AWAY },
            isDuplicate: false,
          },
      );
    },
    find(call, context) {
      if (!isSandboxed(context)) return v1.find(call, context);
      return sandboxFor(context).then((sandbox) => sandbox?.find(call, context) ?? { kind: 'unavailable', reason: AWAY });
    },
    close: () => v1.close(),
  };
}

const AWAY = 'the embedded sandbox cannot be reached';
