/** v1's judgement of a key and address can come with the answer to any call: it is remembered, whoever asked. */
import type { Upstream } from './upstream';
import { hearFinding, isKeyRefusal, type Visitors } from './visitors';

/** The same upstream, with every judgement told to the visitors. */
export function tellVisitors(upstream: Upstream, visitors: Pick<Visitors, 'accept' | 'refuse' | 'doubt'>): Upstream {
  return {
    async send(call, requestId, context) {
      const sent = await upstream.send(call, requestId, context);
      const { outcome } = sent;
      if (outcome.kind === 'rejected') {
        const { httpStatus, message } = outcome;
        const said = message === undefined ? {} : { message };
        if (isKeyRefusal(httpStatus))
          hearFinding(call.path, { kind: 'refused', httpStatus, ...said, body: {} }, context, visitors);
      } else if (outcome.kind !== 'unknown' && outcome.kind !== 'not_sent') visitors.accept(context);
      return sent;
    },
    async find(call, context) {
      const finding = await upstream.find(call, context);
      hearFinding(call.path, finding, context, visitors);
      return finding;
    },
    close: () => upstream.close(),
  };
}
