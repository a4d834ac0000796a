import { Command, Option } from 'commander';
import { addKobo, nairaCell, nairaText, ZERO_KOBO, type AmountMinor } from '../domain/amount';
import type { Order } from '../domain/order';
import { counted, csvCell } from '../domain/shown-words';
import type { Sets } from '../gateway/read/earlier-set';
import type { Journal } from '../journal/journal';
import { findCaller } from '../mapping/caller-name';
import { OUTCOMES as FOUND_OUTCOMES } from '../orders/find-orders';
import { rowOf, type ShownRow } from '../orders/found-row';
import {
  contraryEndOf,
  CONTRARY_WORDS,
  isInSandbox,
  lossOf,
  moneyOf,
  readOpenOrders,
  type ContraryEnd,
  type OpenOrders,
  type OrderMoney,
} from '../orders/order-money';
import { findCommand, recheckCommand, tellStory } from './orders-find';
import { reconcileCommand } from './orders-reconcile';
import { parseAge, parseCount } from './parse-options';
import { print, printTable } from './process';
import { onUnreadable, withJournal, type Opened } from './show-order';

interface OfCaller {
  /** The title or the fingerprint of a caller, as typed. */
  readonly caller?: string | undefined;
}

interface Range extends OfCaller {
  readonly since: number;
  readonly outcome?: string;
}

/** A refused request is no order. */
const OUTCOMES = FOUND_OUTCOMES.filter((outcome) => outcome !== 'refused');
/** In the order of the columns; all output formats have the same columns. */
const MONEY = ['askedFor', 'charged', 'atRisk'] as const satisfies readonly (keyof OrderMoney)[];
const MONEY_TITLES = ['asked for', 'charged', 'at risk'];
const MONEY_HELP = `
Money is in naira. asked for: the face value that was ordered (empty where only v1 has the price). charged: what v1 took
for a success. at risk: what an order without a final outcome may cost. What was refused, failed or refunded costs nothing.`;
/** Right-aligned columns, so that amounts can be compared by their length. */
const NUMERIC_COLUMNS: ReadonlySet<string> = new Set([...MONEY_TITLES, 'orders']);
const TIME_HELP = '\nTimes are in TIME_ZONE, West Africa Time by default.';
const SHOW_HELP = `${MONEY_HELP}${TIME_HELP}`;
const EXPORT_HELP = `${MONEY_HELP}
Times are ISO 8601: in CSV in TIME_ZONE, West Africa Time by default, with its offset; in json and jsonl UTC.`;
const READ_CODES = '\nExit codes: 0 printed, 1 the journal cannot be read or has no such order, 2 bad usage.';
const DAY_MS = 24 * 3_600_000;
const EXPORT_MAX = 10_000_000;
const OPEN_SHOWN_MAX = 50;

/** `compat-gateway orders`: reads the journal beside a running gateway. Exit code 1 if an order is overdue (`report`). */
export function ordersCommand(): Command {
  const command = new Command('orders')
    .description('Lists, shows, exports and reports the orders of the journal.')
    .addHelpText('after', `${READ_CODES}\n\nExample:\n  compat-gateway orders report`);
  command
    .command('list')
    .description('Prints the latest orders, oldest first.')
    .addOption(sinceOption('90m, 24h or 7d', DAY_MS, '24h'))
    .addOption(new Option('--outcome <outcome>', 'only orders with this outcome').choices(OUTCOMES))
    .addOption(callerOption())
    .option('--limit <number>', 'at most this many of the latest orders', parseCount(9_999_999), 50)
    .addHelpText(
      'after',
      `${SHOW_HELP}\n${READ_CODES}\n\nExamples:\n  compat-gateway orders list --outcome unknown\n  compat-gateway orders list --caller Ada\n  compat-gateway orders list --since 7d --limit 500`,
    )
    .action((range: Range & { limit: number }) => withJournal((opened) => list(range, opened)));
  command
    .command('show')
    .description('Tells the story of an order: by request id, by the id of our replies, or by v1 reference.')
    .argument('<id>')
    .option('--json', 'print everything that the journal has of the order, numbers unmasked')
    .addOption(callerOption())
    .addHelpText('after', `${SHOW_HELP}\n${READ_CODES}\n\nExample:\n  compat-gateway orders show first-a`)
    .action((id: string, { json, caller }: OfCaller & { readonly json?: true }) =>
      withJournal(async (opened) => tellStory(id, opened, { owner: await ownerOf({ caller }, opened), asJson: json })),
    );
  command
    .command('export')
    .description('Writes orders to standard output.')
    .addOption(new Option('--format <format>', 'the file format').choices(EXPORT_FORMATS).default('csv'))
    .addOption(sinceOption('24h or 30d', 30 * DAY_MS, '30d'))
    .addOption(new Option('--outcome <outcome>', 'only orders with this outcome').choices(OUTCOMES))
    .addOption(callerOption())
    .addHelpText('after', `${EXPORT_HELP}\n${READ_CODES}\n\nExample:\n  compat-gateway orders export --since 7d > orders.csv`)
    .action((range: Range & { format: ExportFormat }) => withJournal((opened) => exportOrders(range, opened)));
  command
    .command('report')
    .description('Counts and naira by outcome, what is open and how old it is. Exit code 1 when an order is overdue.')
    .addOption(sinceOption('24h or 7d', DAY_MS, '24h'))
    .addOption(callerOption())
    .addHelpText(
      'after',
      MONEY_HELP +
        '\n\nExit codes: 0 nothing is overdue, 1 an order is overdue or the journal cannot be read, 2 bad usage.\n\nExample, for cron:\n  compat-gateway orders report || mail -s "orders overdue" ops@example.com',
    )
    .action((range: Range) => withJournal((opened) => report(range, opened)));
  command.addCommand(findCommand());
  command.addCommand(recheckCommand());
  command.addCommand(reconcileCommand());
  return command;
}

function callerOption(): Option {
  return new Option('--caller <name>', 'only orders of this caller: its title in callers.yaml, or its fingerprint');
}

function sinceOption(examples: string, defaultMs: number, shownDefault: string): Option {
  return new Option('--since <age>', `how far back, such as ${examples}`).argParser(parseAge).default(defaultMs, shownDefault);
}

async function* ordersIn({ since, outcome, caller }: Range, { journal, mapping }: Opened): AsyncIterable<Order> {
  const now = Date.now();
  const owner = await ownerOf({ caller }, { mapping, journal });
  // Without an upper bound: if the clock was set back, orders may have times in the future.
  for await (const order of journal.list({ fromMs: now - since, untilMs: Infinity, limit: EXPORT_MAX, onUnreadable }))
    if ((outcome === undefined || outcomeOf(order) === outcome) && (owner ?? order.owner) === order.owner) yield order;
}

/** The fingerprint of the wanted caller; undefined for all callers. Throws for an unknown name, with the most similar name. */
async function ownerOf({ caller }: OfCaller, { mapping, journal }: Pick<Opened, 'mapping' | 'journal'>) {
  return caller === undefined ? undefined : findCaller(caller, mapping, await journal.owners());
}

const outcomeOf = (order: Order): string => order.outcome?.kind ?? 'open';
/** Of an order in a list: all that stands beside its time. */
const TITLES = ['caller', 'operation', 'outcome', ...MONEY_TITLES, 'request id', 'reference'];
const cellsOf = (order: Order, sets: Sets): string[] => {
  const { caller, operation, outcome, money, requestId, reference } = rowOf({ kind: 'order', order }, sets);
  return [caller, operation, outcome, ...MONEY.map((part) => nairaCell(money[part])), requestId, reference];
};
const countOrders = (count: number): string => counted(count, 'order');

async function list({ limit, ...range }: Range & { readonly limit: number }, opened: Opened): Promise<void> {
  const { times } = opened;
  const latest: Order[] = [];
  let count = 0;
  for await (const order of ordersIn(range, opened)) {
    count += 1;
    latest.push(order);
    // Trimmed only at twice the limit: a shift for every order would move the whole list each time.
    if (latest.length >= 2 * limit) latest.splice(0, latest.length - limit);
  }
  const shown = latest.slice(-limit);
  const rows = shown.map((order) => [times.text(order.openedAtMs), ...cellsOf(order, opened)]);
  print(`Times in ${times.zone}, money in naira.`);
  printTable(NUMERIC_COLUMNS, [['opened', ...TITLES], ...rows]);
  print(
    shown.length < count ? `The latest ${shown.length} of ${countOrders(count)}; --limit shows more.` : `${countOrders(count)}.`,
  );
}

interface Exported {
  readonly order: Order;
  readonly shown: ShownRow;
  readonly timeText: (ms: number) => string;
}

/** In order; all output formats have the same columns. */
const COLUMNS: Readonly<Record<string, (exported: Exported) => string | number>> = {
  opened: ({ order, timeText }) => timeText(order.openedAtMs),
  settled: ({ order, timeText }) => (order.settledAtMs === undefined ? '' : timeText(order.settledAtMs)),
  operation: ({ order }) => order.operation,
  format: ({ order }) => order.format,
  outcome: ({ shown }) => shown.outcome,
  asked_for_naira: ({ shown }) => nairaCell(shown.money.askedFor),
  charged_naira: ({ shown }) => nairaCell(shown.money.charged),
  at_risk_naira: ({ shown }) => nairaCell(shown.money.atRisk),
  request_id: ({ order }) => order.requestId,
  reference: ({ shown }) => shown.reference,
  id: ({ order }) => order.number,
  attempts: ({ order }) => order.attempts,
  owner: ({ order }) => order.owner,
  caller: ({ shown }) => shown.caller,
};

/** `json` is one list, `jsonl` one object per line. */
const EXPORT_FORMATS = ['csv', 'json', 'jsonl'] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

async function exportOrders(range: Range & { readonly format: ExportFormat }, opened: Opened): Promise<void> {
  const { times } = opened;
  // Programs that read JSON convert times themselves, so JSON has UTC; a spreadsheet shows times as they are, so CSV has the operator's zone.
  const timeText = range.format === 'csv' ? times.iso : (ms: number): string => new Date(ms).toISOString();
  if (range.format === 'csv') print(Object.keys(COLUMNS).join(','));
  let before = '[';
  for await (const order of ordersIn(range, opened)) {
    const exported: Exported = { order, shown: rowOf({ kind: 'order', order }, opened), timeText };
    const row = Object.entries(COLUMNS).map(([name, cell]) => [name, cell(exported)] as const);
    // Printed row by row, because an export of millions of orders does not fit into memory.
    if (range.format === 'csv') print(row.map(([, cell]) => csvCell(cell)).join(','));
    else if (range.format === 'jsonl') print(JSON.stringify(Object.fromEntries(row)));
    else process.stdout.write(`${before}\n${JSON.stringify(Object.fromEntries(row))}`);
    before = ',';
  }
  if (range.format === 'json') print(before === '[' ? '[]' : '\n]');
}

async function report(range: Range, opened: Opened): Promise<void> {
  const { journal, mapping } = opened;
  const owner = await ownerOf(range, opened);
  const now = Date.now();
  const totals = new Map<string, { count: number; readonly sums: AmountMinor[] }>();
  const contrary = new Map<ContraryEnd, { count: number; loss: AmountMinor }>();
  let unpriced = 0;
  let inSandbox = 0;
  for await (const order of ordersIn(range, opened)) {
    if (owner === undefined && isInSandbox(order, mapping)) {
      inSandbox += 1;
      continue;
    }
    const end = contraryEndOf(order, opened);
    if (end !== undefined) {
      const { count, loss } = contrary.get(end) ?? { count: 0, loss: ZERO_KOBO };
      contrary.set(end, { count: count + 1, loss: addKobo(loss, lossOf(order, opened) ?? ZERO_KOBO) });
    }
    const total = totals.get(outcomeOf(order)) ?? { count: 0, sums: MONEY.map(() => ZERO_KOBO) };
    const money = moneyOf(order, opened);
    total.count += 1;
    for (const [index, part] of MONEY.entries()) total.sums[index] = addKobo(total.sums[index]!, money[part] ?? ZERO_KOBO);
    totals.set(outcomeOf(order), total);
    if (order.outcome?.kind === 'succeeded' && money.charged === undefined) unpriced += 1;
  }
  print('Money in naira.');
  printTable(NUMERIC_COLUMNS, [
    ['outcome', 'orders', ...MONEY_TITLES],
    ...OUTCOMES.filter((outcome) => totals.has(outcome)).map((outcome) => {
      const { count, sums } = totals.get(outcome)!;
      return [outcome, String(count), ...sums.map(nairaText)];
    }),
  ]);
  if (inSandbox > 0)
    print(`${countOrders(inSandbox)} in the sandbox, where nothing is charged, ${inSandbox === 1 ? 'is' : 'are'} not counted.`);
  if (unpriced > 0) print(`What v1 charged for ${countOrders(unpriced)} that succeeded is not known; it is not in the sum.`);
  for (const [end, { count, loss }] of contrary) print(`${countOrders(count)} ${CONTRARY_WORDS[end]}: ${nairaText(loss)} naira.`);
  const ofOwner: Pick<Journal, 'listUnsettled'> = {
    listUnsettled: (options) => journal.listUnsettled(owner === undefined ? options : { ...options, owner }),
  };
  const open = await readOpenOrders(ofOwner, opened, now, EXPORT_MAX);
  print('');
  reportOpen(open, opened, now);
  open.unreadable.forEach(onUnreadable);
  if (open.overdue.length > 0) process.exitCode = 1;
}

/** Prints every order whose money may have moved, oldest first, and the sum at risk. */
function reportOpen({ orders, overdue, atRisk, withoutPrice }: OpenOrders, sets: Sets, now: number): void {
  const unpriced = withoutPrice === 0 ? '' : ` (and ${withoutPrice} whose price only v1 knows)`;
  print(`${countOrders(orders.length)} without a final outcome, ${nairaText(atRisk)} naira at risk${unpriced}.`);
  if (orders.length === 0) return;
  printTable(NUMERIC_COLUMNS, [
    ['age', ...TITLES],
    ...orders
      .slice(0, OPEN_SHOWN_MAX)
      .map((order) => [
        `${showAge(now - order.openedAtMs)}${overdue.includes(order) ? ' OVERDUE' : ''}`,
        ...cellsOf(order, sets),
      ]),
  ]);
  if (orders.length > OPEN_SHOWN_MAX) print(`And ${orders.length - OPEN_SHOWN_MAX} younger ones.`);
  const limit = showAge(sets.mapping.timing.overdue);
  print(overdue.length === 0 ? `None is older than ${limit}.` : `OVERDUE: ${countOrders(overdue.length)} older than ${limit}.`);
}

function showAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.floor(ms / 1_000)}s`;
  if (minutes < 60) return `${minutes}m`;
  return minutes < 48 * 60
    ? `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`
    : `${Math.floor(minutes / 1_440)}d`;
}
