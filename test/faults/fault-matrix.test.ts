/** Every fault × every purchase × both formats, over real sockets; docs/faults.md has the results. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ANSWER_FAULTS } from './answer-faults';
import type { Fault } from './fault';
import { judge, renderFaultTable, renderRow } from './fault-table';
import { PURCHASES } from './purchase';
import { readyHouse, type FaultResult, type NumberedFault, type ReadyHouse } from './run-faults';
import { openV1OfMany, type V1OfMany } from './v1-of-many';
import { WIRE_FAULTS } from './wire-faults';
import { CLOCK_FAULTS, CONNECTION_FAULTS, FOLDER_FAULT, JOURNAL_FAULTS, MOOD_FAULTS } from './world-faults';

const GROUPS: Readonly<Record<string, readonly Fault[]>> = {
  'No connection, or a broken one': [...CONNECTION_FAULTS, ...WIRE_FAULTS],
  'Answers that are not what they should be': ANSWER_FAULTS,
  "Moods of the sandbox, which are a v1's": MOOD_FAULTS,
  'The journal and the clock': [...JOURNAL_FAULTS, FOLDER_FAULT, ...CLOCK_FAULTS],
};
const FAULTS = Object.values(GROUPS).flat();
const PAGE = resolve(__dirname, '..', '..', 'docs', 'faults.md');
/** Retries have a budget for each gateway. With this many faults in one house each order still has all the attempts that it would have alone. */
const PER_HOUSE = { once: 8, always: 3 };
const HOUSES_AT_ONCE = 8;

/** Faults whose row differs from the page are played again. More than this many differing rows are no accident. */
const PLAYED_AGAIN = 6;

let v1: V1OfMany;
/** Every play of every fault, in order. */
const results = new Map<Fault, FaultResult[]>(FAULTS.map((fault) => [fault, []]));
const lastOf = (fault: Fault): FaultResult => results.get(fault)!.at(-1)!;

beforeAll(async () => {
  v1 = await openV1OfMany((FAULTS.length + PLAYED_AGAIN) * PURCHASES.length);
  const numbered = FAULTS.map((fault, index) => ({ fault, firstCell: index * PURCHASES.length }));
  const isClock = ({ fault }: NumberedFault): boolean => fault.isolated?.clockJumpMs !== undefined;
  const houses: ReadyHouse[] = [];
  for (const faults of shareHouses(numbered.filter((one) => !isClock(one)))) houses.push(await readyHouse(faults, v1));
  const next = async (): Promise<void> => {
    for (let house = houses.pop(); house !== undefined; house = houses.pop()) await play(house);
  };
  await Promise.all(Array.from({ length: HOUSES_AT_ONCE }, next));
  // The clock belongs to the whole process, so nothing else may run when it jumps.
  for (const clock of numbered.filter(isClock)) await play(await readyHouse([clock], v1));
  await playDoubtful();
}, 900_000);
afterAll(async () => {
  await v1.close();
});

async function play(house: ReadyHouse): Promise<void> {
  for (const result of await house.play()) results.get(result.fault)!.push(result);
}

/**
 * When the whole machine stands still for seconds, the script's patience ends before the fault has done its work, and another
 * reply is true. Each such fault is played once more, alone, and its last row is compared with the page. Every play is judged.
 */
async function playDoubtful(): Promise<void> {
  const rows = new Set(readFileSync(PAGE, 'utf8').split('\n'));
  const doubtful = FAULTS.filter((fault) => !rows.has(renderRow(lastOf(fault))));
  for (const [index, fault] of doubtful.slice(0, PLAYED_AGAIN).entries()) {
    console.log(`${fault.title} (${fault.lasts}) is played again: ${renderRow(lastOf(fault))}`);
    await play(await readyHouse([{ fault, firstCell: (FAULTS.length + index) * PURCHASES.length }], v1));
  }
}

function shareHouses(faults: readonly NumberedFault[]): NumberedFault[][] {
  const houses: NumberedFault[][] = [];
  const open = new Map<string, NumberedFault[]>();
  for (const numbered of faults) {
    const { isolated, timing, lasts } = numbered.fault;
    const kind = `${timing}, ${lasts}`;
    let house = isolated === undefined ? open.get(kind) : undefined;
    if (house === undefined || house.length >= PER_HOUSE[lasts]) {
      house = [];
      houses.push(house);
      if (isolated === undefined) open.set(kind, house);
    }
    house.push(numbered);
  }
  return houses;
}

test('there are at least thirty kinds of fault', () => {
  expect(new Set(FAULTS.map(({ title }) => title)).size).toBeGreaterThanOrEqual(30);
});

test.each(FAULTS.map((fault) => [fault.title, fault.lasts, fault] as const))(
  'no script is told anything false: %s (%s)',
  (_title, _lasts, fault) => {
    expect(lastOf(fault).cells).toHaveLength(PURCHASES.length);
    expect(results.get(fault)!.flatMap(judge)).toEqual([]);
  },
);

test("v1's ledger is balanced after all faults", () => {
  expect(v1.isBalanced()).toBe(true);
});

test('docs/faults.md has the replies of this run', () => {
  const groups = Object.fromEntries(Object.entries(GROUPS).map(([title, faults]) => [title, faults.map(lastOf)]));
  const page = renderFaultTable(groups);
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, page);
  expect(readFileSync(PAGE, 'utf8')).toBe(page);
});
