/** A process of its own on a shared journal folder: `journal-child.ts race|write|fill DIR`. Prints one line per resolved promise. */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLmdbJournal } from '../../src/journal/lmdb-journal';
import { newOrder } from './new-order';

const [mode, dir = ''] = process.argv.slice(2);

/** Written at once, without a buffer: a printed line was resolved before the process can be killed. */
const say = (line: string): void => void writeSync(1, `${line}\n`);

async function race(): Promise<void> {
  const journal = await openLmdbJournal({ dir });
  say('ready');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  const openings = Array.from({ length: 200 }, (_, index) => journal.open(newOrder({ requestId: `r${index}` })));
  for (const { kind, order } of await Promise.all(openings)) say(`${kind} ${order.requestId} ${order.number}`);
  await journal.close();
  process.stdin.destroy();
}

async function write(): Promise<void> {
  const journal = await openLmdbJournal({ dir });
  const { owner } = newOrder();
  let next = 0;
  const loop = async (): Promise<void> => {
    for (;;) {
      const requestId = `k${next++}`;
      await journal.open(newOrder({ requestId, openedAtMs: Date.now() }));
      say(`opened ${requestId}`);
      await journal.settle(owner, requestId, { kind: 'succeeded', reference: `v1-${requestId}` }, Date.now());
      say(`settled ${requestId}`);
    }
  };
  await Promise.all(Array.from({ length: 32 }, loop));
}

async function fill(): Promise<void> {
  const journal = await openLmdbJournal({ dir });
  for (let index = 0; index < 5000; index += 1) {
    try {
      await journal.open(newOrder({ requestId: `k${index}`, fields: { phone: 'x'.repeat(4000) } }));
      say(`opened k${index}`);
    } catch (error) {
      say(`refused ${(error as { code?: string }).code} writable ${journal.isWritable()}`);
      // Closing at once would report an earlier error and end the process by itself.
      await sleep(50);
      say(`found ${(await journal.find(newOrder().owner, 'k0'))?.requestId}`);
      return journal.close();
    }
  }
}

const modes: Readonly<Record<string, () => Promise<void>>> = { race, write, fill };
void modes[mode ?? '']?.();
