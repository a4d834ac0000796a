/** What each family makes of each reply that it could be told, which one it is told, and what is left of the trouble. */
import type { JsonObject } from '../../src/domain/json';
import { afterPendingOf } from '../../src/mapping/after-pending';
import { converseAtHome } from '../gateway/reply-table/converse';
import { mapping, sampleOf } from '../gateway/reply-table/samples';
import { casesOf, families, type Meaning } from './expectation';
import { WORDS } from './family-tables';
import type { Conclusion, Family } from './family';

interface Table {
  readonly head: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

interface Situation {
  readonly name: string;
  readonly meaning: Meaning;
  /** What the real reply stands for. */
  readonly outcome: string;
  /** Replies that could be told: HTTP status and words; undefined leaves `status` out. */
  readonly candidates: readonly (readonly [http: number, status: string | undefined, Status: string])[];
  readonly costs: Readonly<Record<Conclusion, string>>;
}

const OPEN = 'its owner closes the order';

const SITUATIONS: readonly Situation[] = [
  {
    name: 'sold',
    meaning: 'success',
    outcome: 'success',
    candidates: [
      [200, 'success', 'successful'],
      [200, undefined, 'successful'],
      [201, 'success', 'successful'],
      [200, 'process', 'successful'],
    ],
    costs: { sale: '–', failure: 'the face value, each time', pending: OPEN, unknown: OPEN },
  },
  {
    name: 'under-way',
    meaning: 'pending',
    outcome: 'pending',
    candidates: [
      [200, 'pending', 'processing'],
      [200, 'processing', 'processing'],
      [200, 'success', 'processing'],
      [202, 'pending', 'processing'],
    ],
    costs: {
      sale: 'the goods, if v1 declines it after that',
      failure: 'the face value, if v1 sells it after that',
      pending: '–',
      unknown: OPEN,
    },
  },
  {
    name: 'failed',
    meaning: 'failure',
    outcome: 'declined',
    candidates: [
      [400, 'fail', 'failed'],
      [200, 'fail', 'failed'],
      [422, 'fail', 'failed'],
    ],
    costs: { sale: 'the goods, each time', failure: '–', pending: OPEN, unknown: OPEN },
  },
];

const say = (http: number, status: string | undefined, Status: string): string => `${http} ${status ?? 'no status'} / ${Status}`;

/** By the name of the situation. */
export async function tradeOffs(): Promise<Readonly<Record<string, Table>>> {
  const tables = SITUATIONS.map(async (situation) => {
    const lines = await Promise.all(families.map((family) => linesOf(family, situation)));
    const isOpen = situation.meaning === 'pending';
    const head = [
      'family',
      ...situation.candidates.map((candidate) => say(...candidate)),
      ...(isOpen ? ['held, and then'] : []),
      'is told',
      'what it costs',
    ];
    return [situation.name, { head, lines: lines.flat() }] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

async function linesOf(family: Family, { candidates, costs, meaning, outcome }: Situation): Promise<string[][]> {
  const { operation, format } = casesOf(family)[0]!;
  const { body } = await converseAtHome(operation, format, outcome);
  const requestId = sampleOf(operation, format).fields['request-id'];
  const conclude = (status: number, words: JsonObject): Conclusion => family.concludes({ status, body: words, requestId });
  const made = candidates.map(([http, status, Status]) => {
    const others = Object.entries(body as JsonObject).filter(([name]) => name !== 'status');
    return WORDS[conclude(http, { ...Object.fromEntries(others), Status, ...(status === undefined ? {} : { status }) })];
  });
  const own = family.told?.as[format];
  const told = await converseAtHome(operation, format, outcome, own);
  const heard = told.body as { readonly status?: string; readonly Status: string };
  const conclusion = conclude(told.status, told.body as JsonObject);
  return [
    [
      family.name,
      ...made,
      ...(meaning === 'pending' ? [heldAndThen(family)] : []),
      `${own === undefined ? '' : `\`${own}\`: `}${say(told.status, heard.status, heard.Status)}`,
      costs[conclusion],
    ],
  ];
}

/** How long plain PHP of this family is held, and whether the order is bought after that; by service where they differ. */
function heldAndThen(family: Family): string {
  const ways = new Map<string, Set<string>>();
  for (const { operation: name, format } of casesOf(family)) {
    const told = mapping.families.get(family.told?.as[format] ?? '')?.mapping() ?? mapping;
    const operation = told.operations.get(name)!;
    const kind = told.callerKindOf({});
    const seconds = (operation.patienceMs[kind.name] ?? kind.patienceMs) / 1000;
    const way = `${seconds} s, ${afterPendingOf(operation, format, kind, undefined) === 'buy' ? 'still bought' : 'looked for'}`;
    ways.set(way, (ways.get(way) ?? new Set()).add(name.replace('buy_', '').replaceAll('_', ' ')));
  }
  if (ways.size === 1) return [...ways.keys()].join('');
  return [...ways].map(([way, names]) => `${[...names].join(', ')}: ${way}`).join('; ');
}
