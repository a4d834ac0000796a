import type { Outcome } from '../../src/domain/outcome';
import type { Journal } from '../../src/journal/journal';
import { newOrder } from '../journal/new-order';
import { Disk } from './edge/disk';
import { FaultPlan } from './edge/fault-plan';
import { createWall, type Stage } from './edge/stage';
import { Chance } from '../chance';
import { Timeline } from './engine/timeline';
import { CaseBook } from './verdict/case-book';
import { Trace } from './verdict/trace';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 5, 1, 9);

/** Opens and settles an order by clocks with these errors in ms. Returns whether the order is marked as mistimed. */
async function write(openedOffMs: number, settledOffMs: number): Promise<boolean> {
  const chance = new Chance('disk');
  const timeline = new Timeline(START_MS, chance.fork('ties'));
  const faults = new FaultPlan(chance.fork('faults'), new Set(), 1_000, false);
  const stage: Stage = {
    timeline,
    startMs: START_MS,
    faults,
    book: new CaseBook(),
    trace: new Trace(false),
    wall: createWall(),
  };
  const order = newOrder({ openedAtMs: START_MS + openedOffMs });
  const subject = stage.book.withId(order.owner, 'w', order.requestId, 'order 1');
  const journal: Journal = new Disk(stage).openFor({ isAlive: true }, 'A1');
  await timeline.runToEnd(journal.open(order));
  const { owner, requestId } = order;
  const outcome: Outcome = { kind: 'unknown', reason: 'lost' };
  await timeline.runToEnd(journal.settle(owner, requestId, outcome, timeline.now + settledOffMs));
  return subject.isMistimed;
}

// The wall clock is right whenever a write becomes durable.
test.each<[string, boolean, number, number]>([
  ['a right clock', false, 0, 0],
  ['clocks that are seconds apart', false, 3_000, -3_000],
  ['a clock that was a day ahead at the opening', true, DAY_MS, 0],
  ['a clock that was six minutes behind at the opening', false, -6 * 60_000, 0],
  ['a clock that was a day behind at the settling', true, 0, -DAY_MS],
])('whether an order with %s is marked as mistimed: %s', async (_title, expected, openedOffMs, settledOffMs) => {
  expect(await write(openedOffMs, settledOffMs)).toBe(expected);
});
