/**
 * Logs when v1 gets into trouble and when the trouble is over. The calls of scripts are judged, and small probes where there are too few calls.
 * Readiness does not depend on v1, because no restart of the gateway would mend v1 (decision 0041).
 */
import type { Clock } from '../domain/clock';
import { showPath, showText } from '../domain/shown-words';
import { errorFields, type Log, type LogFields } from '../telemetry/log';
import type { Metrics } from '../telemetry/metrics';
import type { CallDone } from '../upstream/http-upstream';
import { PROBE_PATH, probeV1 } from '../upstream/probe-v1';
import { createV1State, readSign, type Change, type Sign, type SignSource } from '../upstream/v1-state';

export type UpstreamWatch = ReturnType<typeof watchUpstream>;

interface UpstreamWatchParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'setV1Up' | 'v1Trouble' | 'upstreamDone'>;
  /** After so many seconds without an answer of v1 a probe is sent; 0 sends none. */
  readonly probeSeconds: number;
  /** How a request id may appear in the log. */
  readonly showId?: (id: string) => string;
}

const PROBE_MS_MAX = { suspected: 2_000, trouble: 10_000, well: Infinity } as const;

/** Sends a probe at once, and later whenever v1 has not answered for a while; sooner while v1 is suspected. */
export function watchUpstream(baseUrl: string, { clock, log, metrics, probeSeconds, showId = (id) => id }: UpstreamWatchParts) {
  const { host, pathname } = new URL(baseUrl);
  const basePath = pathname.replace(/\/+$/, '');
  const state = createV1State(clock);
  let heardAtMs = -Infinity;
  let trouble: string | undefined;
  let isStopped = false;
  let cancel: () => void = () => undefined;
  let abandon: (() => void) | undefined;

  const note = (sign: Sign, source: SignSource, durationMs: number): void => {
    heardAtMs = clock.elapsed();
    if (sign.kind !== 'well') metrics.v1Trouble(sign.kind);
    const change = state.note(sign, source, durationMs);
    if (change === undefined) return;
    say(change, host, log, metrics);
    trouble = change.kind === 'begun' ? change.trouble.detail : undefined;
  };

  const ask = async (): Promise<void> => {
    const startedAtMs = clock.elapsed();
    const probe = probeV1(baseUrl);
    abandon = probe.abandon;
    const exchanged = await probe.exchanged;
    abandon = undefined;
    if (isStopped) return;
    const durationMs = clock.elapsed() - startedAtMs;
    const sign = readSign(exchanged, { host, path: `${basePath}${PROBE_PATH}`, durationMs });
    heardAtMs = clock.elapsed();
    if (sign !== undefined) note(sign, 'probe', durationMs);
    plan();
  };

  const plan = (): void => {
    cancel();
    if (isStopped || probeSeconds === 0 || abandon !== undefined) return;
    const periodMs = Math.min(probeSeconds * 1_000, PROBE_MS_MAX[state.level]);
    const waitMs = state.level === 'well' ? Math.max(0, heardAtMs + periodMs - clock.elapsed()) : periodMs;
    cancel = clock.after(waitMs, () => {
      if (state.level === 'well' && clock.elapsed() - heardAtMs < periodMs) plan();
      else void ask();
    });
  };

  if (probeSeconds > 0) void ask();
  return {
    /** Judges one call. Never throws: a watcher must not change a sale. */
    noteCall: (call: CallDone): void => {
      try {
        const { path, exchanged, outcome, durationMs } = call;
        metrics.upstreamDone(path.slice(basePath.length), outcome, durationMs);
        if (log.writesDebug) log.debug('upstream_call', describe(call, showId));
        const sign = readSign(exchanged, { host, path, durationMs });
        const before = state.level;
        if (sign !== undefined) note(sign, 'traffic', durationMs);
        if (state.level !== before) plan();
      } catch (error) {
        log.error('watching', errorFields(error));
      }
    },
    /** The trouble of v1, from `upstream_trouble` to `upstream_well`. Undefined until v1 has answered. */
    seen: () => (heardAtMs === -Infinity ? undefined : { trouble }),
    stop: (): void => {
      isStopped = true;
      cancel();
      abandon?.();
    },
  };
}

function say(change: Change, host: string, log: Log, metrics: Pick<Metrics, 'setV1Up'>): void {
  metrics.setV1Up(change.kind === 'ended');
  const { kind, detail, httpStatus: status, code } = change.trouble;
  if (change.kind === 'begun') log.warn('upstream_trouble', { kind, host, detail, status, code });
  else log.info('upstream_well', { kind, host, durationMs: Math.round(change.durationMs), count: change.count });
}

/** The fields of a call for the log. The text of v1's answer is left out, because it may name a customer. */
function describe(call: CallDone, showId: (id: string) => string): LogFields {
  const { method, outcome, exchanged, requestId, fingerprint } = call;
  const ending =
    exchanged.kind === 'answered'
      ? { status: exchanged.httpStatus }
      : { code: exchanged.codes.join(','), detail: showText(exchanged.detail) };
  return {
    method,
    path: showPath(call.path),
    ...ending,
    durationMs: Math.round(call.durationMs),
    outcome,
    requestId: requestId === undefined ? undefined : showId(requestId),
    fingerprint,
  };
}
