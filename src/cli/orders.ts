import { Command, InvalidArgumentError, Option } from 'commander';
import { openConfiguredJournal } from '../configured-journal';
import { nairaText, type AmountMinor } from '../domain/amount';
import { textOf } from '../domain/json';
import type { Order } from '../domain/order';
import type { Journal } from '../journal/journal';
import { checkFolder } from '../mapping/check';
import type { Mapping } from '../mapping/mapping';
import { formatProblem } from '../mapping/problem';
import { priceOf, readOpenOrders } from '../open-orders';
import { readConfig } from './read-config';

interface Opened {
  readonly journal: Journal;
  readonly mapping: Mapping;
}

interface Range {
  readonly since: number;
  readonly outcome?: string;
  readonly limit?: number;
}

const OUTCOMES = ['open', 'succeeded', 'pending', 'declined', 'rejected', 'not_sent', 'unknown'] as const;
const DAY_MS = 24 * 3_600_000;
const EXPORT_MAX = 10_000_000;

/** `compat-gateway orders`: the journal, read beside a running gateway. Exit code 1 when an order is overdue (`report`). */
export function ordersCommand(): Command {
  const command = new Command('orders').description('Lists, shows, exports and reports the orders of the journal.');
  command
    .command('list')
    .description('Prints orders, oldest first.')
    .option('--since <age>', 'how far back, such as 90m, 24h or 7d', parseAge, DAY_MS)
    .addOption(new Option('--outcome <outcome>', 'only orders that ended so').choices(OUTCOMES))
    .option('--limit <number>', 'at most so many', parseCount, 50)
    .addHelpText(
      'after',
      '\nExamples:\n  compat-gateway orders list --outcome unknown\n  compat-gateway orders list --since 7d --limit 500',
    )
    .action((range: Range) => withJournal((opened) => list(range, opened)));
  command
    .command('show')
    .description('Prints everything the journal has of an order: by request id, by the id of our replies, or by v1 reference.')
    .argument('<id>')
    .action((id: string) => withJournal((opened) => show(id, opened)));
  command
    .command('export')
    .description('Writes orders to standard output.')
    .addOption(new Option('--format <format>', 'the form').choices(['csv', 'json']).default('csv'))
    .option('--since <age>', 'how far back, such as 24h or 30d', parseAge, 30 * DAY_MS)
    .addOption(new Option('--outcome <outcome>', 'only orders that ended so').choices(OUTCOMES))
    .addHelpText('after', '\nExample:\n  compat-gateway orders export --since 7d > orders.csv')
    .action((range: Range & { format: 'csv' | 'json' }) => withJournal((opened) => exportOrders(range, opened)));
  command
    .command('report')
    .description('Counts and naira by outcome, what is open and how old it is. Exit code 1 when an order is overdue.')
    .option('--since <age>', 'how far back, such as 24h or 7d', parseAge, DAY_MS)
    .addHelpText(
      'after',
      '\nExit codes: 0 nothing is overdue, 1 an order is overdue, 2 bad usage.\n\nExample, for cron:\n  compat-gateway orders report || mail -s "orders overdue" ops@example.com',
    )
    .action((range: Range) => withJournal((opened) => report(range, opened)));
  return command;
}

async function withJournal(work: (opened: Opened) => Promise<void>): Promise<void> {
  const { config } = readConfig();
  const { mapping, problems } = checkFolder(config.mappingsDir);
  if (mapping === undefined) throw new Error(problems.map(formatProblem).join('\n'));
  if (config.journalUrl.revealForUseOnly().startsWith('memory:'))
    throw new Error('JOURNAL_URL is memory:, which only the gateway itself can see.');
  const journal = await openConfiguredJournal(config);
  try {
    await work({ journal, mapping });
  } finally {
    await journal.close();
  }
}

async function* ordersIn({ since, outcome, limit = EXPORT_MAX }: Range, journal: Journal): AsyncIterable<Order> {
  const now = Date.now();
  let left = limit;
  for await (const order of journal.list({ fromMs: now - since, untilMs: now + 1, limit: EXPORT_MAX })) {
    if (outcome !== undefined && outcomeOf(order) !== outcome) continue;
    if (left <= 0) return;
    left -= 1;
    yield order;
  }
}

const outcomeOf = (order: Order): string => order.outcome?.kind ?? 'open';
const referenceOf = (order: Order): string =>
  order.outcome !== undefined && 'reference' in order.outcome ? (order.outcome.reference ?? '') : '';
const showNaira = (amount: AmountMinor | undefined): string => (amount === undefined ? '' : nairaText(amount));
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function list(range: Range, { journal, mapping }: Opened): Promise<void> {
  const rows = [['opened', 'operation', 'outcome', 'naira', 'request id', 'reference']];
  for await (const order of ordersIn(range, journal)) {
    rows.push([
      new Date(order.openedAtMs).toISOString(),
      order.operation,
      outcomeOf(order),
      showNaira(priceOf(order, mapping)),
      order.requestId,
      referenceOf(order),
    ]);
  }
  printTable(rows);
  print(`${rows.length - 1} orders.`);
}

function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
}

async function show(id: string, { journal, mapping }: Opened): Promise<void> {
  let found = 0;
  for await (const order of journal.list({ fromMs: 0, untilMs: Date.now() + 1, limit: EXPORT_MAX })) {
    if (
      order.requestId !== id &&
      String(order.number) !== id &&
      referenceOf(order) !== id &&
      !Object.values(order.echo).some((sent) => textOf(sent) === id)
    )
      continue;
    found += 1;
    const { openedAtMs, settledAtMs, ...rest } = order;
    const price = priceOf(order, mapping);
    print(
      JSON.stringify(
        {
          opened: new Date(openedAtMs).toISOString(),
          settled: settledAtMs === undefined ? null : new Date(settledAtMs).toISOString(),
          naira: price === undefined ? null : nairaText(price),
          ...rest,
        },
        null,
        2,
      ),
    );
  }
  if (found === 0) throw new Error(`There is no order ${id} in the journal.`);
}

const COLUMNS = [
  'opened',
  'settled',
  'operation',
  'format',
  'outcome',
  'naira',
  'request_id',
  'reference',
  'id',
  'tries',
  'owner',
] as const;

async function exportOrders(range: Range & { readonly format: 'csv' | 'json' }, { journal, mapping }: Opened): Promise<void> {
  if (range.format === 'csv') print(COLUMNS.join(','));
  for await (const order of ordersIn(range, journal)) {
    const row: Record<(typeof COLUMNS)[number], string | number> = {
      opened: new Date(order.openedAtMs).toISOString(),
      settled: order.settledAtMs === undefined ? '' : new Date(order.settledAtMs).toISOString(),
      operation: order.operation,
      format: order.format,
      outcome: outcomeOf(order),
      naira: showNaira(priceOf(order, mapping)),
      request_id: order.requestId,
      reference: referenceOf(order),
      id: order.number,
      tries: order.tries,
      owner: order.owner,
    };
    // One JSON object per line: an export of millions must not be held in memory.
    print(range.format === 'json' ? JSON.stringify(row) : COLUMNS.map((column) => csvCell(row[column])).join(','));
  }
}

/** Quoted as RFC 4180 says. A text that a spreadsheet would take for a formula is kept a text. */
function csvCell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function report(range: Range, { journal, mapping }: Opened): Promise<void> {
  const now = Date.now();
  const totals = new Map<string, { count: number; sum: number }>();
  for await (const order of ordersIn(range, journal)) {
    const total = totals.get(outcomeOf(order)) ?? { count: 0, sum: 0 };
    totals.set(outcomeOf(order), { count: total.count + 1, sum: total.sum + (priceOf(order, mapping) ?? 0) });
  }
  printTable([
    ['outcome', 'orders', 'naira'],
    ...OUTCOMES.filter((outcome) => totals.has(outcome)).map((outcome) => [
      outcome,
      String(totals.get(outcome)!.count),
      nairaText(totals.get(outcome)!.sum as AmountMinor),
    ]),
  ]);
  const { orders, overdue, atRisk, withoutPrice } = await readOpenOrders(journal, mapping, now);
  print('');
  print(
    `${orders.length} orders without a final outcome, ${nairaText(atRisk)} naira at risk${withoutPrice === 0 ? '' : ` (and ${withoutPrice} whose price only v1 knows)`}.`,
  );
  const [oldest] = orders;
  if (oldest !== undefined)
    print(`The oldest is ${showAge(now - oldest.openedAtMs)} old: ${oldest.operation} ${oldest.requestId}.`);
  if (overdue.length === 0) return;
  print('');
  print(`OVERDUE: ${overdue.length} are older than ${showAge(mapping.timing.overdue)}.`);
  printTable([
    ['age', 'operation', 'outcome', 'naira', 'request id', 'reference'],
    ...overdue
      .slice(0, 50)
      .map((order) => [
        showAge(now - order.openedAtMs),
        order.operation,
        outcomeOf(order),
        showNaira(priceOf(order, mapping)),
        order.requestId,
        referenceOf(order),
      ]),
  ]);
  process.exitCode = 1;
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
