import { Command, InvalidArgumentError, Option } from 'commander';
import { openJournalBeside } from '../start/configured-journal';
import { nairaText, type AmountMinor } from '../domain/amount';
import { textOf } from '../domain/json';
import type { Order } from '../domain/order';
import { referenceOf } from '../domain/outcome';
import type { Journal } from '../journal/journal';
import type { Mapping } from '../mapping/mapping';
import { contraryEndOf, CONTRARY_WORDS, lossOf, type ContraryEnd } from '../watch/contrary-ends';
import { moneyOf, readOpenOrders, type OpenOrders, type OrderMoney } from '../watch/open-orders';
import { readConfig } from './read-config';
import { readMappingForOrders } from './read-mapping-for-orders';
import { showOrder } from './show-order';
import { createTimes, type Times } from './show-time';

interface Opened {
  readonly journal: Journal;
  readonly mapping: Mapping;
  readonly times: Times;
}

interface Range {
  readonly since: number;
  readonly outcome?: string;
}

const OUTCOMES = ['open', 'succeeded', 'pending', 'declined', 'rejected', 'not_sent', 'unknown'] as const;
/** In the order of the columns; all forms of output have the same columns. */
const MONEY = ['askedFor', 'charged', 'atRisk'] as const satisfies readonly (keyof OrderMoney)[];
const MONEY_TITLES = ['asked for', 'charged', 'at risk'];
const MONEY_HELP = `
Money is in naira. asked for: the face value that was ordered (empty where only v1 has the price). charged: what v1 took
for a success. at risk: what an order without a final outcome may cost. What was refused, failed or refunded costs nothing.`;
const TIME_HELP = '\nTimes are in TIME_ZONE, West Africa Time by default.';
const SHOW_HELP = `${MONEY_HELP}${TIME_HELP}`;
const EXPORT_HELP = `${MONEY_HELP}
Times are ISO 8601: in CSV in TIME_ZONE, West Africa Time by default, with its offset; in json and jsonl UTC.`;
const READ_CODES = '\nExit codes: 0 printed, 1 the journal cannot be read or has no such order, 2 bad usage.';
const DAY_MS = 24 * 3_600_000;
const EXPORT_MAX = 10_000_000;
const OPEN_SHOWN_MAX = 50;

/** `compat-gateway orders`: the journal, read beside a running gateway. Exit code 1 when an order is overdue (`report`). */
export function ordersCommand(): Command {
  const command = new Command('orders')
    .description('Lists, shows, exports and reports the orders of the journal.')
    .addHelpText('after', `${READ_CODES}\n\nExample:\n  compat-gateway orders report`);
  command
    .command('list')
    .description('Prints the latest orders, oldest first.')
    .addOption(sinceOption('90m, 24h or 7d', DAY_MS, '24h'))
    .addOption(new Option('--outcome <outcome>', 'only orders that ended so').choices(OUTCOMES))
    .option('--limit <number>', 'at most so many of the latest', parseCount, 50)
    .addHelpText(
      'after',
      `${SHOW_HELP}\n${READ_CODES}\n\nExamples:\n  compat-gateway orders list --outcome unknown\n  compat-gateway orders list --since 7d --limit 500`,
    )
    .action((range: Range & { limit: number }) => withJournal((opened) => list(range, opened)));
  command
    .command('show')
    .description('Prints everything the journal has of an order: by request id, by the id of our replies, or by v1 reference.')
    .argument('<id>')
    .addHelpText('after', `${SHOW_HELP}\n${READ_CODES}\n\nExample:\n  compat-gateway orders show first-a`)
    .action((id: string) => withJournal((opened) => show(id, opened)));
  command
    .command('export')
    .description('Writes orders to standard output.')
    .addOption(new Option('--format <format>', 'the form').choices(EXPORT_FORMATS).default('csv'))
    .addOption(sinceOption('24h or 30d', 30 * DAY_MS, '30d'))
    .addOption(new Option('--outcome <outcome>', 'only orders that ended so').choices(OUTCOMES))
    .addHelpText('after', `${EXPORT_HELP}\n${READ_CODES}\n\nExample:\n  compat-gateway orders export --since 7d > orders.csv`)
    .action((range: Range & { format: ExportFormat }) => withJournal((opened) => exportOrders(range, opened)));
  command
    .command('report')
    .description('Counts and naira by outcome, what is open and how old it is. Exit code 1 when an order is overdue.')
    .addOption(sinceOption('24h or 7d', DAY_MS, '24h'))
    .addHelpText(
      'after',
      MONEY_HELP +
        '\n\nExit codes: 0 nothing is overdue, 1 an order is overdue or the journal cannot be read, 2 bad usage.\n\nExample, for cron:\n  compat-gateway orders report || mail -s "orders overdue" ops@example.com',
    )
    .action((range: Range) => withJournal((opened) => report(range, opened)));
  return command;
}

function sinceOption(examples: string, defaultMs: number, shownDefault: string): Option {
  return new Option('--since <age>', `how far back, such as ${examples}`).argParser(parseAge).default(defaultMs, shownDefault);
}

async function withJournal(work: (opened: Opened) => Promise<void>): Promise<void> {
  const { config } = readConfig();
  const mapping = readMappingForOrders(config);
  const journal = await openJournalBeside(config);
  try {
    await work({ journal, mapping, times: createTimes(config.timeZone) });
  } finally {
    await journal.close();
  }
}

async function* ordersIn({ since, outcome }: Range, journal: Journal): AsyncIterable<Order> {
  const now = Date.now();
  for await (const order of journal.list({ fromMs: now - since, untilMs: now + 1, limit: EXPORT_MAX, onUnreadable }))
    if (outcome === undefined || outcomeOf(order) === outcome) yield order;
}

/** The others are shown all the same; that some are missing must not go unnoticed. */
function onUnreadable({ message }: Error): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

const outcomeOf = (order: Order): string => order.outcome?.kind ?? 'open';
const showNaira = (amount: AmountMinor | undefined): string => (amount === undefined ? '' : nairaText(amount));
const showMoney = (order: Order, mapping: Mapping): string[] => {
  const money = moneyOf(order, mapping);
  return MONEY.map((part) => showNaira(money[part]));
};
const countOrders = (count: number): string => `${count} ${count === 1 ? 'order' : 'orders'}`;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function list({ limit, ...range }: Range & { readonly limit: number }, { journal, mapping, times }: Opened): Promise<void> {
  const latest: Order[] = [];
  let count = 0;
  for await (const order of ordersIn(range, journal)) {
    count += 1;
    latest.push(order);
    // A shift for every order would move the whole list each time.
    if (latest.length >= 2 * limit) latest.splice(0, latest.length - limit);
  }
  const shown = latest.slice(-limit);
  const rows = shown.map((order) => [
    times.text(order.openedAtMs),
    order.operation,
    outcomeOf(order),
    ...showMoney(order, mapping),
    order.requestId,
    referenceOf(order.outcome) ?? '',
  ]);
  print(`Times in ${times.zone}, money in naira.`);
  printTable([['opened', 'operation', 'outcome', ...MONEY_TITLES, 'request id', 'reference'], ...rows]);
  print(
    shown.length < count ? `The latest ${shown.length} of ${countOrders(count)}; --limit shows more.` : `${countOrders(count)}.`,
  );
}

/** Numbers stand with their ends below each other: naira are compared by their length at a glance. */
const NUMERIC_COLUMNS: ReadonlySet<string> = new Set([...MONEY_TITLES, 'orders']);

function printTable(rows: readonly (readonly string[])[]): void {
  const isNumeric = rows[0]!.map((title) => NUMERIC_COLUMNS.has(title));
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows)
    print(
      row
        .map((cell, column) => (isNumeric[column] === true ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd(),
    );
}

async function show(id: string, { journal, mapping, times }: Opened): Promise<void> {
  let found = 0;
  for await (const order of journal.list({ fromMs: 0, untilMs: Date.now() + 1, limit: EXPORT_MAX })) {
    if (
      order.requestId !== id &&
      String(order.number) !== id &&
      referenceOf(order.outcome) !== id &&
      !Object.values(order.echo).some((sent) => textOf(sent) === id)
    )
      continue;
    found += 1;
    print(JSON.stringify(showOrder(order, mapping, times), null, 2));
  }
  if (found === 0) throw new Error(`There is no order ${id} in the journal.`);
}

const COLUMNS = [
  'opened',
  'settled',
  'operation',
  'format',
  'outcome',
  'asked_for_naira',
  'charged_naira',
  'at_risk_naira',
  'request_id',
  'reference',
  'id',
  'tries',
  'owner',
] as const;

/** `json` is one list, `jsonl` one object a line. */
const EXPORT_FORMATS = ['csv', 'json', 'jsonl'] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

async function exportOrders(
  range: Range & { readonly format: ExportFormat },
  { journal, mapping, times }: Opened,
): Promise<void> {
  // Programs that read JSON have their own zones; a spreadsheet shows what it is given.
  const timeText = range.format === 'csv' ? times.iso : (ms: number): string => new Date(ms).toISOString();
  if (range.format === 'csv') print(COLUMNS.join(','));
  let before = '[';
  for await (const order of ordersIn(range, journal)) {
    const [askedFor = '', charged = '', atRisk = ''] = showMoney(order, mapping);
    const row: Record<(typeof COLUMNS)[number], string | number> = {
      opened: timeText(order.openedAtMs),
      settled: order.settledAtMs === undefined ? '' : timeText(order.settledAtMs),
      operation: order.operation,
      format: order.format,
      outcome: outcomeOf(order),
      asked_for_naira: askedFor,
      charged_naira: charged,
      at_risk_naira: atRisk,
      request_id: order.requestId,
      reference: referenceOf(order.outcome) ?? '',
      id: order.number,
      tries: order.tries,
      owner: order.owner,
    };
    // Row by row: an export of millions must not be held in memory.
    if (range.format === 'csv') print(COLUMNS.map((column) => csvCell(row[column])).join(','));
    else if (range.format === 'jsonl') print(JSON.stringify(row));
    else process.stdout.write(`${before}\n${JSON.stringify(row)}`);
    before = ',';
  }
  if (range.format === 'json') print(before === '[' ? '[]' : '\n]');
}

/** Quoted as RFC 4180 says. A text that a spreadsheet would take for a formula is kept a text. */
function csvCell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function report(range: Range, { journal, mapping }: Opened): Promise<void> {
  const now = Date.now();
  const totals = new Map<string, { count: number; readonly sums: number[] }>();
  const contrary = new Map<ContraryEnd, { count: number; naira: number }>();
  let unpriced = 0;
  for await (const order of ordersIn(range, journal)) {
    const end = contraryEndOf(order, mapping);
    if (end !== undefined) {
      const { count, naira } = contrary.get(end) ?? { count: 0, naira: 0 };
      contrary.set(end, { count: count + 1, naira: naira + (lossOf(order, mapping) ?? 0) });
    }
    const total = totals.get(outcomeOf(order)) ?? { count: 0, sums: MONEY.map(() => 0) };
    const money = moneyOf(order, mapping);
    total.count += 1;
    for (const [index, part] of MONEY.entries()) total.sums[index]! += money[part] ?? 0;
    totals.set(outcomeOf(order), total);
    if (order.outcome?.kind === 'succeeded' && money.charged === undefined) unpriced += 1;
  }
  print('Money in naira.');
  printTable([
    ['outcome', 'orders', ...MONEY_TITLES],
    ...OUTCOMES.filter((outcome) => totals.has(outcome)).map((outcome) => {
      const { count, sums } = totals.get(outcome)!;
      return [outcome, String(count), ...sums.map((sum) => nairaText(sum as AmountMinor))];
    }),
  ]);
  if (unpriced > 0) print(`What v1 charged for ${countOrders(unpriced)} that succeeded is not known; it is not in the sum.`);
  for (const [end, { count, naira }] of contrary)
    print(`${countOrders(count)} ${CONTRARY_WORDS[end]}: ${nairaText(naira as AmountMinor)} naira.`);
  const open = await readOpenOrders(journal, mapping, now);
  print('');
  reportOpen(open, mapping, now);
  open.unreadable.forEach(onUnreadable);
  if (open.overdue.length > 0) process.exitCode = 1;
}

/** Every order whose money may have moved, the oldest first, and what is at risk in all of them. */
function reportOpen({ orders, overdue, atRisk, withoutPrice }: OpenOrders, mapping: Mapping, now: number): void {
  const unpriced = withoutPrice === 0 ? '' : ` (and ${withoutPrice} whose price only v1 knows)`;
  print(`${countOrders(orders.length)} without a final outcome, ${nairaText(atRisk)} naira at risk${unpriced}.`);
  if (orders.length === 0) return;
  printTable([
    ['age', 'operation', 'outcome', ...MONEY_TITLES, 'request id', 'reference'],
    ...orders
      .slice(0, OPEN_SHOWN_MAX)
      .map((order) => [
        `${showAge(now - order.openedAtMs)}${overdue.includes(order) ? ' OVERDUE' : ''}`,
        order.operation,
        outcomeOf(order),
        ...showMoney(order, mapping),
        order.requestId,
        referenceOf(order.outcome) ?? '',
      ]),
  ]);
  if (orders.length > OPEN_SHOWN_MAX) print(`And ${orders.length - OPEN_SHOWN_MAX} younger ones.`);
  const limit = showAge(mapping.timing.overdue);
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

function parseAge(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) throw new InvalidArgumentError('expected an age such as 90m, 24h or 7d.');
  return Number(count) * { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS }[unit as 's' | 'm' | 'h' | 'd'];
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('expected a whole number from 1.');
  return Number(text);
}
