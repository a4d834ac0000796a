/** The journal with a line at `debug` for each step of an order; the journal itself knows nothing of it. */
import type { Journal } from '../journal/journal';
import type { Log } from './log';

/** The same journal. Request ids are shown as everywhere in the log. */
export function loggedJournal(journal: Journal, log: Pick<Log, 'debug'>, showId: (id: string) => string): Journal {
  return {
    async open(intent) {
      const opened = await journal.open(intent);
      const { number: order, requestId, outcome } = opened.order;
      log.debug('order_opened', { kind: opened.kind, requestId: showId(requestId), order, outcome: outcome?.kind });
      return opened;
    },
    async settle(owner, requestId, latest, atMs) {
      const settled = await journal.settle(owner, requestId, latest, atMs);
      const { number: order, outcome } = settled;
      // What this answer said, and how the order stands with it: an answer that proves nothing changes nothing.
      log.debug('order_settled', { kind: latest.kind, requestId: showId(requestId), order, outcome: outcome?.kind });
      return settled;
    },
    async tell(owner, requestId, toldAtMs) {
      await journal.tell(owner, requestId, toldAtMs);
      log.debug('order_told', { requestId: showId(requestId) });
    },
    find: (owner, requestId) => journal.find(owner, requestId),
    findByReference: (owner, reference) => journal.findByReference(owner, reference),
    findByNumber: (owner, number) => journal.findByNumber(owner, number),
    hasReference: (owner) => journal.hasReference(owner),
    listUnsettled: (options) => journal.listUnsettled(options),
    list: (options) => journal.list(options),
    isWritable: () => journal.isWritable(),
    close: () => journal.close(),
  };
}
