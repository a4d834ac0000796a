/** Parts of the walk with a stopwatch around them; the parts themselves know nothing of it. */
import type { Upstream } from '../upstream/upstream';
import type { Metrics } from './metrics';

/** The same upstream, with the time and the ending of every call counted. */
export function measuredUpstream(
  upstream: Upstream,
  metrics: Pick<Metrics, 'upstreamDone'>,
  clock: () => number = () => performance.now(),
): Upstream {
  return {
    async send(call, requestId, context) {
      const startedAtMs = clock();
      const sent = await upstream.send(call, requestId, context);
      metrics.upstreamDone(call.path, sent.outcome.kind, clock() - startedAtMs);
      return sent;
    },
    async find(call, context) {
      const startedAtMs = clock();
      const finding = await upstream.find(call, context);
      metrics.upstreamDone(call.path, finding.kind, clock() - startedAtMs);
      return finding;
    },
    close: () => upstream.close(),
  };
}
