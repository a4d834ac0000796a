import { systemClock } from '../src/domain/clock';
import { Secret } from '../src/domain/credentials';
import type { Order } from '../src/domain/order';
import { createMemoryJournal } from '../src/journal/memory-journal';
import type { Journal } from '../src/journal/journal';
import { createLog } from '../src/telemetry/log';
import { createSdkTraces } from '../src/telemetry/sdk-traces';
import type { Upstream } from '../src/upstream/upstream';
import { wrapJournal, wrapUpstream } from '../src/wrappers';
import { newOrder } from './journal/new-order';

const showId = (id: string): string => id;
const traces = createSdkTraces({ url: 'http://127.0.0.1:9', showId, onTrouble: () => undefined });
afterAll(() => traces.close());

/** More than any method takes: what a method takes one day must arrive as well. */
const ARGUMENTS = ['a', 'b', { kind: 'rejected' }, 4, 5, 6, 7, 8];

test.each([...Object.keys(createMemoryJournal()), 'doubt', 'processes'])(
  '`%s` of the journal gets all arguments',
  async (name) => {
    const order: Order = { ...newOrder(), number: 1, attempts: 1 };
    const given: unknown[] = [];
    const inner = async (...all: unknown[]): Promise<object> => (given.push(all), { ...order, kind: 'opened', order });
    const tools = {
      ...{ traces, showId, log: createLog('debug', { write: () => undefined }) },
      ...{ metrics: {} as never, observer: { trouble: fail } as never },
    };
    const wrapped = wrapJournal({ [name]: inner } as unknown as Journal, tools, fail);
    await (wrapped as unknown as Record<string, typeof inner>)[name]!(...ARGUMENTS);
    expect(given).toEqual([ARGUMENTS]);
  },
);

test('a call to v1 gets its whole context', async () => {
  const credentials = { apiKey: new Secret('k'), fingerprint: 'f' };
  const context = { credentials, clientAddress: '192.0.2.1', timeoutMs: 1, ofOneDay: true };
  const call = { method: 'GET', path: '/balance' } as const;
  const given: unknown[] = [];
  const v1: Upstream = {
    send: async (...sent) => (given.push(sent), { outcome: { kind: 'not_sent', reason: '' }, isDuplicate: false }),
    find: async (...asked) => (given.push(asked), { kind: 'unavailable', reason: '' }),
    close: async () => undefined,
  };
  const listener = { sent: () => undefined, found: () => undefined };
  const clock = systemClock;
  const wrapped = wrapUpstream(v1, {
    ...{ traces, clock, closers: [], sandboxUrl: fail, observer: { trouble: fail } as never },
    ...{ keyGuard: { listener }, notes: { listener }, wallets: { listener } as never },
  });
  await wrapped.send(call, 'r', context);
  await wrapped.find(call, context);
  expect(given).toEqual([
    [call, 'r', context],
    [call, context],
  ]);
});

function fail(): never {
  throw new Error('Nobody may call this.');
}
