/** Plays faults: under each fault every purchase of both formats, then a status query, then the same purchase again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { IsolatedFault, Fault } from './fault';
import { openFaultHouse, type FaultHouse } from './fault-house';
import { askStatus, buy, PURCHASES, type Purchase, type Told } from './purchase';
import type { Ledger, V1OfMany } from './v1-of-many';

/** What the script was told, and v1's ledger at that moment. */
export interface Step {
  readonly told: Told;
  readonly ledger: Ledger;
}

export interface CellResult {
  readonly purchase: Purchase;
  /** The purchase, under the fault. */
  readonly first: Step;
  /** v1's ledger when the gateway had stopped trying. */
  readonly settled: Ledger;
  /** The order's status by its request id, once the fault is over. */
  readonly later: Step;
  /** The same purchase with the same request id. */
  readonly again: Step;
}

export interface FaultResult {
  readonly fault: Fault;
  readonly cells: readonly CellResult[];
}

export interface NumberedFault {
  readonly fault: Fault;
  /** Its first account in v1; each cell has an account of its own. */
  readonly firstCell: number;
}

interface Cell extends NumberedFault {
  readonly account: number;
  readonly key: string;
  readonly purchase: Purchase;
  readonly requestId: string;
}

/** Longer than any pursuit. */
const PATIENCE_MS = 180_000;

export interface ReadyHouse {
  /** May be called once: it closes the house. */
  play(): Promise<readonly FaultResult[]>;
}

/**
 * A house for faults of the same timing; a fault that stands alone gets its own. Open all houses before any is played: reading
 * mappings keeps the process busy and would disturb the timing.
 */
export async function readyHouse(faults: readonly NumberedFault[], v1: V1OfMany): Promise<ReadyHouse> {
  const { timing, isolated = {} } = faults[0]!.fault;
  const house = await openFaultHouse(v1.url, timing, isolated);
  return {
    async play() {
      try {
        const cells = faults.flatMap((numbered) => cellsOf(numbered, v1));
        const results = await playCells(cells, isolated, house, v1);
        return faults.map(({ fault }) => ({ fault, cells: results.filter((_, index) => cells[index]!.fault === fault) }));
      } finally {
        await house.close();
      }
    },
  };
}

function cellsOf({ fault, firstCell }: NumberedFault, v1: V1OfMany): readonly Cell[] {
  return PURCHASES.map((purchase, index) => ({
    fault,
    firstCell,
    purchase,
    account: firstCell + index,
    key: v1.keyOf(firstCell + index),
    requestId: `${fault.mood === undefined ? '' : `mood.${fault.mood}.`}${firstCell + index + 1}`,
  }));
}

async function playCells(
  cells: readonly Cell[],
  isolated: IsolatedFault,
  house: FaultHouse,
  v1: V1OfMany,
): Promise<readonly CellResult[]> {
  const before = isolated.hasPrelude === true ? 1 : 0;
  const ledgerOf = async ({ account }: Cell): Promise<Ledger> => {
    const ledger = await v1.ledger(account);
    return { ...ledger, charged: ledger.charged - before };
  };
  const step = async (cell: Cell, told: Promise<Told>): Promise<Step> => ({
    told: await told,
    ledger: await ledgerOf(cell),
  });
  if (before > 0) {
    const told = await all(cells, ({ key, purchase, requestId }) => buy(house.url, key, purchase, `before.${requestId}`));
    if (told.some(({ word }) => word !== 'success')) throw new Error('a purchase before the fault did not succeed');
  }
  for (const { fault, requestId } of cells) {
    if (fault.strike === undefined) continue;
    house.proxy.plan(requestId, { strike: fault.strike, times: fault.lasts === 'once' ? 1 : Infinity });
  }
  house.proxy.onConnection = isolated.onConnection;
  house.proxy.onPurchaseBytes = isolated.onPurchaseBytes;
  await isolated.begin?.(house.proxy);
  isolated.spoil?.(house.dataDir);

  // With the history, the reply would depend on whether v1 can be asked before the script's patience ends.
  house.proxy.isHistoryAway = true;
  const endJump = jumpClock(isolated.clockJumpMs);
  const first = await all(cells, (cell) => step(cell, buy(house.url, cell.key, cell.purchase, cell.requestId)));
  endJump();
  await untilQuiet(house);
  const settled = await all(cells, ledgerOf);
  house.proxy.isHistoryAway = false;
  if (isolated.isForGood !== true) await house.lift();
  await house.proxy.empty();
  house.passQuietTime();
  const later = await all(cells, (cell) =>
    step(
      cell,
      untilKnown(cell, v1, () => askStatus(house.url, cell.key, cell.requestId)),
    ),
  );
  const again = await all(cells, (cell) =>
    step(
      cell,
      untilKnown(cell, v1, () => buy(house.url, cell.key, cell.purchase, cell.requestId)),
    ),
  );
  return cells.map(({ purchase }, index) => ({
    purchase,
    first: first[index]!,
    settled: settled[index]!,
    later: later[index]!,
    again: again[index]!,
  }));
}

/**
 * Repeats a question that was told pending or not known while v1 already knows the end: the gateway may still be looking for
 * the order, or v1 may be slow.
 */
async function untilKnown({ account }: Cell, v1: V1OfMany, ask: () => Promise<Told>): Promise<Told> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const told = await ask();
    const isOpen = told.word === 'pending';
    if (!(isOpen || isUnanswered(told)) || performance.now() > until) return told;
    if (isOpen && (await v1.ledger(account)).pending > 0) return told;
    await sleep(200);
  }
}

/** Whether v1 was asked and did not answer in time, which happens when other tests keep the processor busy. */
function isUnanswered({ http, word, text }: Told): boolean {
  return http === 202 && word !== 'no such order' && text.includes('What became of the order is not known here');
}

/** Lets the wall clock of this process jump 0.3 seconds later; gives the function that sets it back. */
function jumpClock(jumpMs: number | undefined): () => void {
  if (jumpMs === undefined) return () => undefined;
  const right = Date.now;
  const timer = setTimeout(() => {
    Date.now = () => right() + jumpMs;
  }, 300);
  return () => {
    clearTimeout(timer);
    Date.now = right;
  };
}

/** Resolves when no attempt is under way and nothing is on its way to v1. */
async function untilQuiet(house: FaultHouse): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; house.inFlight() > 0 && performance.now() < until;) await sleep(50);
  await house.proxy.idle();
}

const APART_MS = 25;

/** Starts the cells a little apart: the waits are short, and a crowd of simultaneous requests would change what is measured. */
async function all<T>(cells: readonly Cell[], act: (cell: Cell) => Promise<T>): Promise<readonly T[]> {
  const acts: Promise<T>[] = [];
  for (const cell of cells) {
    const acting = act(cell);
    acts.push(acting);
    await Promise.race([acting, sleep(APART_MS)]);
  }
  return Promise.all(acts);
}
