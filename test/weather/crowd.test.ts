/** Many callers at once. First a time of failures for all keys, with one key whose calls always fail. Then an outage during which many orders wait. */
import type { SendFault } from '../simulation/edge/fault-plan';
import { runSimulation, type Caller, type Told } from './simulation';
import { saleOf } from './play-outage';

const shopsOf = (count: number): readonly Caller[] => Array.from({ length: count }, (_, nth) => ({ name: `shop${nth}` }));

const SPELL_MS = 15_000;
const SPELL_FAULTS: readonly SendFault[] = ['error_before', 'error_after', 'lost_reply', 'lost_request', 'swallowed_request'];
const BAD_LINES = ['error_before', 'lost_request', 'swallowed_request'] as const;
const SPELL_SHOPS = shopsOf(5);
const SPELL_ORDERS = 200;

/** The status words that the orders of the first four shops were told, by number of the order. The fifth shop's calls always fail. */
async function playSpell(line: SendFault, isBadShopThere: boolean): Promise<ReadonlyMap<number, Told['word']>> {
  let badOwner = '';
  const trouble =
    (now: () => number) => (call: { readonly owner: string }, chance: Parameters<ReturnType<typeof faultsOf>>[1]) =>
      call.owner === badOwner ? line : faultsOf(now)(call, chance);
  return runSimulation({ seed: 'spell', callers: SPELL_SHOPS, trouble }, async (simulation) => {
    badOwner = simulation.caseOf(SPELL_SHOPS[4]!, 'nobody').owner;
    const words = new Map<number, Told['word']>();
    const sell = async (nth: number): Promise<void> => {
      const shop = nth % SPELL_SHOPS.length;
      if (shop === 4 && !isBadShopThere) return;
      const told = await simulation.buy(SPELL_SHOPS[shop]!, saleOf(nth));
      if (shop !== 4) words.set(nth, told.word);
      else expect(told.word).toBe('pending');
    };
    await Promise.all(Array.from({ length: SPELL_ORDERS }, (_, nth) => sell(nth)));
    return words;
  });
}

function faultsOf(now: () => number) {
  return (_call: { readonly owner: string }, chance: { is(share: number): boolean; pick<T>(items: readonly T[]): T }) =>
    now() < SPELL_MS && chance.is(0.4) ? chance.pick(SPELL_FAULTS) : undefined;
}

test.each(BAD_LINES)('a key whose calls always end with %s does not change the replies to other keys', async (line) => {
  const alone = await playSpell(line, false);
  const among = await playSpell(line, true);
  expect(alone.size).toBe((SPELL_ORDERS / SPELL_SHOPS.length) * 4);
  expect(Object.fromEntries(among)).toEqual(Object.fromEntries(alone));
  expect(new Set(among.values())).toEqual(new Set(['success']));
});

const OUTAGE_BEGIN_MS = 60_000;
const OUTAGE_END_MS = OUTAGE_BEGIN_MS + 130_000;
const WAITING = 300;
const PATIENCE_MS = 40_000;
/** The patience that must be left when v1 works again: from there on it always suffices, because an attempt that hangs takes its time first. */
const ENOUGH_MS = { error_before: 10_000, lost_request: 15_000, swallowed_request: 20_000 };

test.each(
  Object.entries(ENOUGH_MS).flatMap(([fault, enoughMs]) => [1, 10].map((keys) => [fault as SendFault, keys, enoughMs] as const)),
)(
  '300 plain PHP orders wait during 130 s of %s with %i keys: each order with enough patience left is told as a success',
  async (fault, keys, enoughMs) => {
    const callers = shopsOf(keys);
    const trouble = (now: () => number) => () => (now() >= OUTAGE_BEGIN_MS && now() < OUTAGE_END_MS ? fault : undefined);
    await runSimulation({ seed: `crowd ${fault}`, callers, trouble }, async (simulation) => {
      const buy = async (nth: number) => {
        const leftMs = 1_000 + (nth / WAITING) * (PATIENCE_MS - 1_000);
        await simulation.timeline.pause(OUTAGE_END_MS - PATIENCE_MS + leftMs);
        const caller = callers[nth % keys]!;
        return { nth, caller, leftMs, told: await simulation.buy(caller, saleOf(nth)) };
      };
      const orders = await Promise.all(Array.from({ length: WAITING }, (_, nth) => buy(nth)));
      await simulation.timeline.pause(20 * 60_000);
      const untold = orders.filter(({ leftMs, told }) => leftMs >= enoughMs && told.word !== 'success');
      expect(untold.map(({ leftMs }) => leftMs)).toEqual([]);
      // Scripts with less patience left were told "pending", and nothing was bought for them any more.
      for (const { nth, caller, told } of orders) {
        const isSold = told.word === 'success';
        expect([told.word, simulation.chargesOf(caller, saleOf(nth).number).length]).toEqual([
          isSold ? 'success' : 'pending',
          isSold ? 1 : 0,
        ]);
      }
      expect(simulation.violations).toEqual([]);
    });
  },
  60_000,
);
