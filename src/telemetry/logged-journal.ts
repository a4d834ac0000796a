/** The journal with a line at `debug` for each step of an order, where such lines are written; the journal itself knows nothing of it. */
import type { Journal } from '../journal/journal';
import type { Log } from './log';

/** The same journal. Request ids are shown as everywhere in the log. */
export function loggedJournal(
  journal: Journal,
  log: Pick<Log, 'debug' | 'writesDebug'>,
  showId: (id: string) => string,
): Journal {
  if (!log.writesDebug) return journal;
  return {
    ...journal,
    async open(intent) {
      const opened = await journal.open(intent);
      const { number: order, requestId, outcome } = opened.order;
      log.debug('order_opened', { kind: opened.kind, requestId: showId(requestId), order, outcome: outcome?.kind });
      return opened;
    },
    async settle(owner, requestId, latest, atMs, tries) {
      const settled = await journal.settle(owner, requestId, latest, atMs, tries);
      const { number: order, outcome } = settled;
      // What this answer said, and how the order stands with it: an answer that proves nothing changes nothing.
      log.debug('order_settled', { kind: latest.kind, requestId: showId(requestId), order, outcome: outcome?.kind });
      return settled;
    },
    async tell(owner, requestId, toldAtMs, tries) {
      await journal.tell(owner, requestId, toldAtMs, tries);
      log.debug('order_told', { requestId: showId(requestId) });
    },
  };
}
