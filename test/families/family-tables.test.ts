/** The tables of docs/families.md, made from the families that the tests run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/domain/json';
import { afterPendingOf } from '../../src/mapping/compile-callers';
import { replyToSample } from '../gateway/reply-table/play-sample';
import { isUpdating } from '../gateway/reply-table/golden-file';
import { mapping, sampleOf } from '../gateway/reply-table/samples';
import { casesOf, families, type Meaning } from './expectation';
import type { Conclusion, Family } from './family';
import { requeries, type Requery } from './requeries';

const DOCUMENT = join(__dirname, '..', '..', 'docs', 'families.md');

const WORDS: Readonly<Record<Conclusion, string>> = {
  sale: 'sale',
  pending: 'pending',
  failure: 'failure, refunded',
  unknown: 'left open',
};

test('docs/families.md says what the families conclude', async () => {
  for (const [name, wanted] of Object.entries(await sections())) {
    if (isUpdating) {
      const [begin, end] = marks(name);
      const text = readFileSync(DOCUMENT, 'utf8');
      const [before = '', rest = ''] = text.split(begin);
      const [, after = ''] = rest.split(end);
      writeFileSync(DOCUMENT, `${before}${begin}\n\n${wanted}\n\n${end}${after}`);
    }
    expect([name, readSection(name)?.split('\n')]).toEqual([name, wanted.split('\n')]);
  }
});

/** The text between the marks of the document, by the name of the mark. */
async function sections(): Promise<Readonly<Record<string, string>>> {
  return {
    ...(await tradeOffTables()),
    requeries: requeryTable(),
    exceptions: exceptionTable(),
    shipped: shippedTable(),
  };
}

function marks(name: string): readonly [string, string] {
  return [`<!-- ${name}: made by UPDATE_GOLDEN=1 npx jest test/families -->`, `<!-- end of ${name} -->`];
}

/** Undefined when the document has no such marks. */
function readSection(name: string): string | undefined {
  const [begin, end] = marks(name);
  const text = readFileSync(DOCUMENT, 'utf8');
  const from = text.indexOf(begin);
  const until = text.indexOf(end);
  return from === -1 || until === -1 ? undefined : text.slice(from + begin.length, until).trim();
}

/** What each requery concludes from the reply to an unanswered question, beside what the purchase was told. */
function requeryTable(): string {
  const said = (status: number, body: JsonObject) => (requery: Requery) => WORDS[requery.concludes({ status, body })];
  const columns = [
    said(202, { status: 'pending', Status: 'processing' }),
    said(200, { status: 'fail', Status: 'error' }),
    said(404, { status: 'pending', Status: 'processing' }),
    said(503, { status: 'pending', Status: 'processing' }),
  ];
  return table(
    ['requery', '202 pending / processing', '200 fail / error', '404 pending / processing', '503 pending / processing'],
    requeries.map((requery) => [requery.name, ...columns.map((conclude) => conclude(requery))]),
  );
}

function exceptionTable(): string {
  return table(
    ['family', 'concludes', 'why'],
    families
      .filter(({ because }) => because !== undefined)
      .map((family) => [
        family.name,
        Object.entries(family.instead ?? {})
          .map(([outcome, conclusion]) => `${outcome.replaceAll('_', ' ')}: ${WORDS[conclusion]}`)
          .join('; '),
        family.because ?? '',
      ]),
  );
}

/** Every family of the mappings, with its proof. */
function shippedTable(): string {
  return table(
    ['family', 'format', 'scripts', 'recognised by'],
    [...mapping.families.values()].map(({ id, format, title, signals }) => [
      `\`${id}\``,
      format.toUpperCase(),
      title,
      signals.length > 0 ? 'its requests, or its key' : 'its key alone',
    ]),
  );
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n');
}

interface Situation {
  readonly name: string;
  readonly meaning: Meaning;
  /** What the real reply stands for. */
  readonly outcome: string;
  /** Replies that could be given: HTTP status and words; undefined leaves `status` out. */
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
      [400, 'fail', 'error'],
    ],
    costs: { sale: 'the goods, each time', failure: '–', pending: OPEN, unknown: OPEN },
  },
];

const say = (http: number, status: string | undefined, Status: string): string => `${http} ${status ?? 'no status'} / ${Status}`;

/** What each family concludes from each reply that it could get, which one it gets, and what stays wrong. */
async function tradeOffTables(): Promise<Readonly<Record<string, string>>> {
  const tables = SITUATIONS.map(async (situation) => {
    const lines = await Promise.all(families.map((family) => lineOf(family, situation)));
    const isOpen = situation.meaning === 'pending';
    const head = [
      'families',
      ...situation.candidates.map((candidate) => say(...candidate)),
      ...(isOpen ? ['held, and then'] : []),
      'is told',
      'what it costs',
    ];
    return [situation.name, table(head, mergeEqualRows(lines))] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

interface Line {
  readonly family: string;
  /** All cells but the first. */
  readonly cells: readonly string[];
}

/** Families with equal rows share one. */
function mergeEqualRows(lines: readonly Line[]): (readonly string[])[] {
  const shared = new Map<string, { readonly names: string[]; readonly cells: readonly string[] }>();
  for (const { family, cells } of lines) {
    const line = shared.get(cells.join(' | ')) ?? { names: [], cells };
    shared.set(cells.join(' | '), line);
    line.names.push(family);
  }
  return [...shared.values()].map(({ names, cells }) => [names.join('; '), ...cells]);
}

async function lineOf(family: Family, { candidates, costs, meaning, outcome }: Situation): Promise<Line> {
  const { operation, format } = casesOf(family)[0]!;
  const { body } = await replyToSample(operation, format, outcome);
  const requestId = sampleOf(operation, format).fields['request-id'];
  const conclude = (status: number, words: JsonObject): Conclusion => family.concludes({ status, body: words, requestId });
  const made = candidates.map(([http, status, Status]) => {
    const others = Object.entries(body as JsonObject).filter(([name]) => name !== 'status');
    return WORDS[conclude(http, { ...Object.fromEntries(others), Status, ...(status === undefined ? {} : { status }) })];
  });
  const own = family.told?.as[format];
  const told = await replyToSample(operation, format, outcome, own);
  const heard = told.body as { readonly status?: string; readonly Status: string };
  const conclusion = conclude(told.status, told.body as JsonObject);
  const held = meaning === 'pending' ? [describeHold(family)] : [];
  return {
    family: own === undefined ? family.name : `${family.name} → \`${own}\``,
    cells: [...made, ...held, say(told.status, heard.status, heard.Status), costs[conclusion]],
  };
}

/** How long a plain PHP script of this family is held, and whether its order is bought afterwards; by format or service where they differ. */
function describeHold(family: Family): string {
  const ways = new Map<string, Set<string>>();
  for (const { operation: name, format } of casesOf(family)) {
    const told = mapping.families.get(family.told?.as[format] ?? '')?.mapping() ?? mapping;
    const operation = told.operations.get(name)!;
    const kind = told.callerKindOf({});
    const seconds = (operation.patienceMs[kind.name] ?? kind.patienceMs) / 1000;
    const way = `${seconds} s, ${afterPendingOf(operation, format, kind, undefined) === 'buy' ? 'still bought' : 'looked for'}`;
    const where = family.formats.length > 1 ? format.toUpperCase() : name.replace('buy_', '').replaceAll('_', ' ');
    ways.set(way, (ways.get(way) ?? new Set()).add(where));
  }
  if (ways.size === 1) return [...ways.keys()].join('');
  return [...ways].map(([way, names]) => `${[...names].join(', ')}: ${way}`).join('; ');
}
