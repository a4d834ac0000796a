/** v1's verdict on a key can come with the answer to any call: the catalogs hear of it, whoever asked. */
import type { Upstream } from '../upstream/upstream';
import { isKeyRefusal, verdictOf, type Catalogs, type Verdict } from './catalog';
import type { Outcome } from '../domain/outcome';

/** The same upstream, with every verdict told to the catalogs. */
export function tellCatalogs(upstream: Upstream, catalogs: Pick<Catalogs, 'heard'>): Upstream {
  return {
    async send(call, requestId, context) {
      const sent = await upstream.send(call, requestId, context);
      const verdict = verdictOfOutcome(sent.outcome);
      if (verdict !== undefined) catalogs.heard(context, verdict);
      return sent;
    },
    async find(call, context) {
      const finding = await upstream.find(call, context);
      const verdict = verdictOf(finding);
      if (verdict !== undefined) catalogs.heard(context, verdict);
      return finding;
    },
    close: () => upstream.close(),
  };
}

function verdictOfOutcome(outcome: Outcome): Verdict | undefined {
  if (outcome.kind === 'rejected') return isKeyRefusal(outcome.httpStatus) ? 'refused' : undefined;
  return outcome.kind === 'unknown' || outcome.kind === 'not_sent' ? undefined : 'accepted';
}
