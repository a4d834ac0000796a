/**
 * Says at a start that nothing answers where v1 should be, and when something does. It only connects, on the road that
 * orders take: no request, no key. Neither the start nor readiness depends on it, since no restart of ours would mend v1.
 */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from './domain/clock';
import { errorFields, type Log } from './telemetry/log';

const CONNECT_MS_MAX = 5_000;
const LOOK_AGAIN_MS = 10_000;

export interface UpstreamWatch {
  stop(): void;
}

/** Looks at once, and every ten seconds until it has been answered; afterwards the orders themselves tell. */
export function watchUpstream(baseUrl: string, { clock, log }: { clock: Clock; log: Log }): UpstreamWatch {
  const url = new URL(baseUrl);
  const begunAt = clock.now();
  let cancel: () => void = () => undefined;
  let abandon: () => void = () => undefined;
  let isStopped = false;
  let isSaid = false;
  const look = async (): Promise<void> => {
    const attempt = connectTo(url);
    abandon = attempt.abandon;
    const trouble = await attempt.trouble;
    if (isStopped) return;
    if (trouble === undefined) {
      if (isSaid) log.info('upstream_answers', { host: url.host, durationMs: clock.now() - begunAt });
      return;
    }
    if (!isSaid) {
      const { error, code } = errorFields(trouble);
      log.warn('upstream_unreachable', { host: url.host, error, code });
    }
    isSaid = true;
    cancel = clock.after(LOOK_AGAIN_MS, () => void look());
  };
  void look();
  return {
    stop() {
      isStopped = true;
      cancel();
      abandon();
    },
  };
}

/** What is in the way of a connection; undefined once it stands, with TLS for an https address. */
function connectTo({ protocol, hostname, port }: URL): {
  readonly trouble: Promise<Error | undefined>;
  readonly abandon: () => void;
} {
  const isTls = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const at = { host, port: port === '' ? (isTls ? 443 : 80) : Number(port) };
  const socket: Socket = isTls ? connectTls({ ...at, ...(isIP(host) === 0 ? { servername: host } : {}) }) : connectPlain(at);
  const trouble = new Promise<Error | undefined>((resolve) => {
    socket.setTimeout(CONNECT_MS_MAX, () => socket.destroy(new Error(`no connection within ${CONNECT_MS_MAX / 1_000} s`)));
    socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(undefined));
    socket.once('error', resolve);
    socket.once('close', () => resolve(new Error('the connection was closed')));
  });
  void trouble.then(() => socket.destroy());
  // A process that has nothing else to do may end.
  socket.unref();
  return { trouble, abandon: () => socket.destroy() };
}
