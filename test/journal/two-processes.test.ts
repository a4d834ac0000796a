import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Order } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { Chance } from '../chance';
import type { Command } from './journal-puppet';
import { newOrder, OPENED_AT_MS } from './new-order';
import { newFolder } from '../new-folder';
import { closedAfterEach } from '../opened';

const { owner } = newOrder();
const kept = closedAfterEach();

interface Puppet {
  readonly ask: (...command: Command) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

function startPuppet(dir: string): Puppet {
  const child = spawn(process.execPath, ['-r', join(__dirname, 'run-typescript.cjs'), join(__dirname, 'journal-puppet.ts'), dir]);
  const ended = once(child, 'close');
  const waiting = new Map<number, (answer: unknown) => void>();
  let count = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [id, answer] = JSON.parse(line) as [number, unknown];
    waiting.get(id)?.(answer);
  });
  return {
    ask: (...command) =>
      new Promise((resolve) => {
        waiting.set(++count, resolve);
        child.stdin.write(`${JSON.stringify([count, command])}\n`);
      }),
    close: () => {
      child.stdin.end();
      return ended;
    },
  };
}

function startTwo(): readonly [Puppet, Puppet] {
  const dir = newFolder();
  return [kept(startPuppet(dir)), kept(startPuppet(dir))];
}

const OUTCOMES: readonly Outcome[] = [
  { kind: 'unknown', reason: 'reset' },
  { kind: 'pending', reference: 'v1-1' },
  { kind: 'succeeded', reference: 'v1-2', message: 'done', delivery: { charged: 9_800 as never } },
  { kind: 'declined', reference: 'v1-3' },
  { kind: 'rejected', httpStatus: 400 },
  { kind: 'rejected', httpStatus: 422, message: 'no' },
  { kind: 'not_sent', reason: 'refused' },
];

/** Every few steps another order: one that has succeeded never changes again. */
function chooseCommand(chance: Chance, step: number, atMs: number): Command {
  const requestId = `r${Math.floor(step / 12)}`;
  const kind = chance.below(20);
  if (kind === 0) return ['reopenFolder'];
  if (kind < 3) return ['find', owner, requestId];
  if (kind < 4) return ['listUnsettled', { limit: 9, owner }];
  if (kind < 11) return ['open', newOrder({ requestId, openedAtMs: atMs, echo: { ref: `${requestId} ${atMs}` } })];
  return ['settle', owner, requestId, chance.pick(OUTCOMES), atMs];
}

/** Numbers are each store's own. What is absent stays absent on the way through a pipe. */
const comparable = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (name, value: unknown) => (name === 'number' ? 0 : value)));

describe('two processes that answer for one another', () => {
  test.each([1, 2, 3, 4])('give the same results as one journal in memory (history %d)', async (seed) => {
    const puppets = startTwo();
    const chance = new Chance(`${seed}`);
    const model = createMemoryJournal();
    const obey = (method: keyof typeof model, args: unknown[]): Promise<unknown> =>
      (model[method] as (...given: unknown[]) => Promise<unknown>)(...args);
    let atMs = OPENED_AT_MS;
    for (let step = 0; step < 250; step += 1) {
      // Often the same millisecond, where a reopened order keeps its place.
      atMs += chance.below(6) === 0 ? chance.below(50) : 0;
      const [method, ...args] = chooseCommand(chance, step, atMs);
      const said = await chance.pick(puppets).ask(method, ...args);
      if (method === 'reopenFolder') continue;
      const expected = await obey(method, args).then(
        (value) => ({ value }),
        (error: Error) => ({ error: error.message }),
      );
      expect({ step, method, ...(comparable(said) as object) }).toEqual({
        step,
        method,
        ...(comparable(expected) as object),
      });
    }
  });

  test('lose none of several answers that race, and both end with the same order', async () => {
    const [mine, other] = startTwo();
    const chance = new Chance('race');
    for (let round = 0; round < 40; round += 1) {
      const requestId = `race${round}`;
      const reference = `v1-${round}`;
      await chance.pick([mine, other]).ask('open', newOrder({ requestId }));
      // Whichever comes first: a success ends it, and a rejection or doubt beside it takes nothing back.
      await Promise.all([
        mine.ask('settle', owner, requestId, { kind: 'unknown', reason: 'reset' }, OPENED_AT_MS + 1),
        other.ask('settle', owner, requestId, { kind: 'succeeded', reference }, OPENED_AT_MS + 1),
        mine.ask('settle', owner, requestId, { kind: 'pending', reference }, OPENED_AT_MS + 2),
        other.ask('find', owner, requestId),
      ]);
      const ends = (await Promise.all([mine, other].map((puppet) => puppet.ask('find', owner, requestId)))) as {
        readonly value: Order;
      }[];
      expect(ends[0]).toEqual(ends[1]);
      expect(ends[0]!.value).toMatchObject({ requestId, attempts: 1, outcome: { kind: 'succeeded', reference } });
    }
    expect(await mine.ask('listUnsettled', { limit: 99 })).toEqual({ value: [] });
  });
});
