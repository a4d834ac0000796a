/** `compat-gateway orders reconcile`: compares the journal of one key and day with v1's history and wallet. */
import { Command, InvalidArgumentError } from 'commander';
import { counted } from '../domain/shown-words';
import type { Config } from '../config';
import { nairaCell, nairaText, type AmountMinor } from '../domain/amount';
import { systemClock } from '../domain/clock';
import { createDays, dayAt, dayText, parseDay, USUAL_TIME_ZONE, type Day } from '../domain/day';
import { textOf } from '../domain/json';
import { deliveryOf, referenceOf } from '../domain/outcome';
import { callerName } from '../mapping/caller-name';
import { chargedByV1, reportDay, type DayReport, type Difference, type Sum } from '../orders/day-report';
import { createHttpUpstream } from '../upstream/http-upstream';
import { keyIn, openKeyring } from './fingerprint';
import { parseAddress } from './parse-options';
import { print, printTable, readHiddenLine } from './process';
import { askRunning } from './running-gateway';
import { showNaira, withJournal, type Opened } from './show-order';

interface Asked {
  readonly day?: string;
  readonly address: string;
  readonly json?: true;
}

const CONNECTIONS = 4;
const DAY_MS = 24 * 3_600_000;

const HELP = `
v1 is asked directly, with the key: type it at the prompt, or pipe it in. Nothing is bought, and nothing is written.
One receipt is read for each order of the day; where v1 asks to wait, this waits, a quarter of an hour at most.

Exit codes: 0 all agree, 1 there is something to look at, or not all could be read, 2 bad usage, 130 cancelled.

Examples:
  compat-gateway orders reconcile < key.txt
  compat-gateway orders reconcile --day 2026-11-24 --json < key.txt`;

export function reconcileCommand(): Command {
  return new Command('reconcile')
    .description("Compares a day of one key with v1's history and wallet. Type or pipe the key in.")
    .option('--day <day>', 'the day in TIME_ZONE, such as 2026-11-24 (default: yesterday)', checkDay)
    .option('--address <address>', 'the address of the script, if its key is locked to addresses', parseAddress, '127.0.0.1')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action((asked: Asked) => withJournal((opened) => reconcile(asked, opened)));
}

async function reconcile({ day: dayAsked, address, json }: Asked, opened: Opened): Promise<void> {
  const { config, mapping, times } = opened;
  const day = dayOf(dayAsked, times.zone);
  const keyring = openKeyring(config);
  const line = await readHiddenLine('API key: ');
  if (line === undefined) return;
  const apiKey = keyIn(line.trim(), keyring);
  const fingerprint = keyring.fingerprint(apiKey);
  if (mapping.callerKeys.get(fingerprint)?.isSandboxed === true)
    throw new Error(`${callerName(mapping, fingerprint)} sells in the sandbox (callers.yaml): v1 has none of its orders.`);
  const upstream = createHttpUpstream({ baseUrl: await upstreamUrlOf(config), connections: CONNECTIONS });
  try {
    const context = { credentials: { apiKey, fingerprint }, clientAddress: address, timeoutMs: mapping.timing.read };
    const read = await reportDay(day, { ...opened, upstream, context, clock: systemClock });
    const report = withRetention(read, config);
    if (json === true) print(JSON.stringify(showReport(report, fingerprint, opened), null, 2));
    else printReport(report, fingerprint, opened);
    if (report.result !== 'agree') process.exitCode = 1;
  } finally {
    await upstream.close();
  }
}

/** The address of v1. The port of the embedded sandbox changes at each start, so the running gateway is asked for it. */
async function upstreamUrlOf(config: Config): Promise<string> {
  return config.upstreamUrl ?? (await askRunning(config)).upstreamUrl;
}

function withRetention(report: DayReport, { journalDays }: Config): DayReport {
  if (report.day.fromMs >= Date.now() - journalDays * DAY_MS) return report;
  const sentence = `The journal keeps orders for ${journalDays} days (JOURNAL_DAYS): some of this day may be gone.`;
  return { ...report, result: 'incomplete', unread: [...report.unread, sentence] };
}

function dayOf(text: string | undefined, zone: string): Day {
  const startOfDay = createDays(zone);
  const day = text === undefined ? dayAt(startOfDay(Date.now()) - 1, startOfDay) : parseDay(text, zone);
  if (day === undefined || day.fromMs > Date.now()) throw new InvalidArgumentError(`--day ${text}: this day has not begun.`);
  return day;
}

function checkDay(text: string): string {
  if (parseDay(text, USUAL_TIME_ZONE) === undefined) throw new InvalidArgumentError('expected a day such as 2026-11-24.');
  return text;
}

const TITLES = ['what', 'opened', 'operation', 'request id', 'reference', 'journal', 'v1', 'charged, journal', 'charged, v1'];
const NUMERIC: ReadonlySet<string> = new Set(TITLES.slice(-2));

function printReport(report: DayReport, owner: string, { mapping, times }: Opened): void {
  const { day, differences, unread, orders, walletNow, wallet } = report;
  print(sentenceOf(report, callerName(mapping, owner), dayText(day, times.zone)));
  for (const sentence of unread) print(`Not read: ${sentence}`);
  if (orders === 0) print(`The journal has no order of this key (fingerprint ${owner}) on that day.`);
  print(`Times in ${times.zone}, money in naira.`);
  if (differences.length > 0) {
    print('');
    printTable(NUMERIC, [TITLES, ...differences.map((difference) => cellsOf(difference, times.text))]);
  }
  print('');
  print(`Journal  ${counted(orders, 'order')}; charged ${sumText(report.journal)}.`);
  print(`v1       charged ${sumText(report.v1)}; ${counted(report.refunds, 'sale')} refunded.`);
  if (report.otherKeys.count > 0) print(`Others   charged ${sumText(report.otherKeys)}: other keys of this account.`);
  if (wallet === undefined) {
    const now = walletNow === undefined ? 'not known' : nairaText(walletNow);
    return print(`Wallet   ${now} now; its movement on that day is not known.`);
  }
  const { opening, charged, moneyIn, other, closing } = wallet;
  print(`Wallet   ${nairaText(opening)} before the first sale, ${nairaText(closing)} after the last:`);
  print(`         ${nairaText(charged)} charged, ${nairaText(moneyIn)} paid in by v1's history, ${otherText(other)}.`);
}

function sentenceOf({ result, differences }: DayReport, caller: string, day: string): string {
  const things = `${counted(differences.length, 'thing')} to look at`;
  if (result === 'agree') return `All agree: the journal and v1 say the same of ${caller} on ${day}.`;
  if (result === 'differences') return `${things}: ${caller} on ${day}.`;
  return `Not complete: not all of ${caller} on ${day} could be read. In what was read: ${differences.length === 0 ? 'nothing' : counted(differences.length, 'thing')} to look at.`;
}

function sumText({ count, charged, unpriced }: Sum): string {
  return `${nairaText(charged)} by ${count}${unpriced === 0 ? '' : `, of which ${unpriced} do not show it`}`;
}

function otherText(other: AmountMinor): string {
  if (other === 0) return 'and nothing else moved';
  return other > 0
    ? `and ${nairaText(other)} came in that no row explains (funding, or a refund of another day)`
    : `and ${nairaText(other).slice(1)} went that no row explains (a refund that came later, or a transfer)`;
}

const KIND_WORDS: Readonly<Record<Difference['kind'], string>> = {
  charged_told_failed: 'TOLD FAILED, CHARGED',
  sold_not_at_v1: 'sold here, not at v1',
  not_in_journal: 'at v1 only',
  differs: 'differs',
  open: 'still open',
};

function cellsOf(difference: Difference, timeText: (ms: number) => string): string[] {
  const { kind, what, isSure, atMs, order, row } = difference;
  const [ours, theirs] = [order && deliveryOf(order.outcome).charged, row && chargedByV1(row)];
  return [
    `${KIND_WORDS[kind]}${what === undefined ? '' : ` in ${what}`}${isSure ? '' : ' (looks alike)'}`,
    timeText(atMs),
    order?.operation ?? textOf(row?.data['category'] ?? ''),
    order?.requestId ?? '',
    row?.reference ?? referenceOf(order?.outcome) ?? '',
    order === undefined ? 'nothing' : (order.outcome?.kind ?? 'open'),
    row === undefined ? 'nothing' : textOf(row.data['status'] ?? ''),
    nairaCell(ours),
    nairaCell(theirs),
  ];
}

/** The report as JSON, without phone numbers and delivered tokens or PINs, because reports are sent by mail. */
function showReport(report: DayReport, owner: string, { mapping, times }: Opened): object {
  const { result, day, unread, differences, orders, journal, v1, otherKeys, refunds, walletNow, wallet } = report;
  const showSum = ({ count, charged, unpriced }: Sum): object => ({ count, charged: nairaText(charged), unpriced });
  return {
    ...{
      result,
      day: dayText(day, times.zone),
      time_zone: times.zone,
      from: times.iso(day.fromMs),
      until: times.iso(day.untilMs),
    },
    ...{ caller: callerName(mapping, owner), owner, orders },
    differences: differences.map(({ kind, what, isSure, atMs, order, row }) => ({
      ...{ kind, ...(what === undefined ? {} : { what }), sure: isSure, opened: times.iso(atMs) },
      operation: order?.operation ?? null,
      request_id: order?.requestId ?? null,
      reference: row?.reference ?? referenceOf(order?.outcome) ?? null,
      journal:
        order === undefined
          ? null
          : { outcome: order.outcome?.kind ?? 'open', charged: showNaira(deliveryOf(order.outcome).charged) },
      v1: row === undefined ? null : { status: row.data['status'] ?? null, charged: showNaira(chargedByV1(row)) },
    })),
    not_read: unread,
    naira: {
      ...{ journal: showSum(journal), v1: showSum(v1), other_keys: showSum(otherKeys), refunds: { count: refunds } },
      wallet_now: showNaira(walletNow),
    },
    wallet:
      wallet && Object.fromEntries(Object.entries(wallet).map(([name, amount]) => [name, showNaira(amount as AmountMinor)])),
  };
}
