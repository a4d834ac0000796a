import { createMemoryJournal } from '../../src/journal/memory-journal';
import { createLog } from '../../src/telemetry/log';
import { loggedJournal } from '../../src/telemetry/logged-journal';
import { journalSuite } from '../journal/journal-suite';
import { newOrder } from '../journal/new-order';

let lines: Record<string, unknown>[] = [];
const log = createLog('debug', { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
const makeJournal = () => loggedJournal(createMemoryJournal(), log, (id) => `shown ${id}`);

journalSuite('a journal with a line for each step', async () => makeJournal());

test('each step of an order is a line, with its id as it may be shown and how the order stands', async () => {
  const journal = makeJournal();
  lines = [];
  const intent = newOrder();
  await journal.open(intent);
  await journal.settle(intent.owner, intent.requestId, { kind: 'succeeded', reference: 'v1-9' }, 1);
  await journal.settle(intent.owner, intent.requestId, { kind: 'unknown', reason: 'late' }, 2);
  await journal.tell(intent.owner, intent.requestId, 3);
  const requestId = `shown ${intent.requestId}`;
  expect(lines).toMatchObject([
    { level: 'debug', event: 'order_opened', kind: 'opened', requestId, order: expect.any(Number) },
    { event: 'order_settled', kind: 'succeeded', outcome: 'succeeded', requestId },
    { event: 'order_settled', kind: 'unknown', outcome: 'succeeded', requestId },
    { event: 'order_told', requestId },
  ]);
});
