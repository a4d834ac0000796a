/**
 * `orders find` and `recheck`, and the story of an order for `orders show` and `explain --order`: for an operator who has the
 * reseller on the phone.
 */
import { randomBytes } from 'node:crypto';
import { Command, Option } from 'commander';
import { nairaCell, nairaText, type AmountMinor } from '../domain/amount';
import { systemClock } from '../domain/clock';
import { Secret } from '../domain/credentials';
import { textOf } from '../domain/json';
import type { Order } from '../domain/order';
import { counted, errorText, escapeText, shorten } from '../domain/shown-words';
import { createKeyring } from '../gateway/read/keyring';
import type { Rechecked } from '../gateway/recheck';
import { callerName, findCaller } from '../mapping/caller-name';
import { openSetHistory } from '../mapping/set-history';
import type { Mapping } from '../mapping/mapping';
import { explainOrderReply, type ExplainedField, type ExplainedReply, type Place } from '../operator/explain/explain';
import { OUTCOMES, type OrderQuery } from '../orders/find-orders';
import { rowOf, type FoundRow } from '../orders/found-row';
import { maskIn, numbersIn } from '../orders/number-keys';
import { SENT_LENGTH_MAX } from '../gateway/read/read-raw';
import { OUTCOME_MEANINGS, receiptText, type OrderStory } from '../orders/order-story';
import { openConfiguredNotes } from '../start/configured-stores';
import { findGatewaySecret } from '../start/gateway-secret';
import { openOrdersDesk, type OrdersDesk } from '../start/orders-desk';
import { parseAddress, parseAge, parseCount, parseName } from './parse-options';
import { print, printTable, readConfig, readKey, textOfLines } from './process';
import { askAdminOrThrow } from './running-gateway';
import { searchJournal, showOrder, withJournal, type Opened } from './show-order';
import type { Times } from '../domain/times';

interface Asked {
  readonly requestId?: string;
  readonly reference?: string;
  readonly caller?: string;
  readonly since?: number;
  readonly outcome?: OrderQuery['outcome'];
  readonly operation?: string;
  readonly refused?: boolean;
  readonly limit: number;
}

/** Longer than for a page of the console: an operator at a terminal can wait. */
const BUDGET_MS = 60_000;

export function findCommand(): Command {
  return new Command('find')
    .description('Finds orders, and refused requests, by what the reseller knows. Newest first.')
    .argument('[number]', 'a phone, meter or card number, in any spelling')
    .option('--request-id <id>', 'the id that the script sent, or the id of our replies')
    .option('--reference <reference>', "v1's reference")
    .option('--caller <caller>', 'only of this key: a title of callers.yaml or a fingerprint')
    .addOption(new Option('--since <age>', 'how far back, such as 90m, 24h or 7d').argParser(parseAge))
    .addOption(new Option('--outcome <outcome>', 'only orders with this outcome').choices(OUTCOMES))
    .option('--operation <operation>', 'only this operation, such as buy_airtime')
    .option('--no-refused', 'leave out refused requests')
    .option('--limit <number>', 'at most this many', parseCount(99_999), 50)
    .addHelpText(
      'after',
      '\nNumbers are masked. `orders show <id>` tells the story of one.\n\nExit codes: 0 found, 1 nothing is found or the journal cannot be read, 2 bad usage.\n\nExamples:\n  compat-gateway orders find 08031234567\n  compat-gateway orders find --caller Ada --outcome refused --since 24h',
    )
    .action((number: string | undefined, asked: Asked) => withJournal((opened) => find(number, asked, opened)));
}

async function find(number: string | undefined, asked: Asked, opened: Opened): Promise<void> {
  const { mapping, journal } = opened;
  const { requestId, reference, since, outcome, operation, refused = true, limit } = asked;
  const caller = asked.caller === undefined ? undefined : findCaller(asked.caller, mapping, await journal.owners());
  const fromMs = since === undefined ? undefined : Date.now() - since;
  const query: OrderQuery = { number, requestId, reference, caller, fromMs, outcome, operation, refusedToo: refused };
  await withDesk(opened, async (desk) => {
    const { rows, next, numbersFromMs, notSearched, searchedBackToMs } = await desk.find(query, {
      pageSize: limit,
      budgetMs: BUDGET_MS,
    });
    const { text } = opened.times;
    if (numbersFromMs !== undefined)
      print(`Numbers can be looked for in orders since ${text(numbersFromMs)}; older ones are being indexed.`);
    if (notSearched !== undefined)
      print(
        `Orders between ${text(notSearched.fromMs)} and ${text(notSearched.untilMs)} were not searched: they are being indexed.`,
      );
    if (searchedBackToMs !== undefined)
      print(`Only orders since ${text(searchedBackToMs)} were searched: the time for it was over. --caller makes it faster.`);
    if (rows.length === 0) {
      process.exitCode = 1;
      return print('Nothing is found.');
    }
    print(`Times in ${opened.times.zone}, money in naira.`);
    printTable(new Set(['asked for']), [TITLES, ...rows.map((row) => cellsOf(row, opened))]);
    print(next === undefined ? `${counted(rows.length, 'row')}.` : `The latest ${rows.length}; --limit shows more.`);
  });
}

const TITLES = ['time', 'caller', 'operation', 'number', 'outcome', 'asked for', 'request id', 'reference or reason'];

function cellsOf(found: FoundRow, opened: Opened): string[] {
  const { atMs, caller, operation, numbers, outcome, money, requestId, reference, code, told } = rowOf(found, opened);
  const end = found.kind === 'refused' ? `${code}: ${told}` : reference;
  return [opened.times.text(atMs), caller, operation, numbers, outcome, nairaCell(money.askedFor), requestId, end];
}

/** Prints the story of the order with this id, or all that the journal has of it. With `owner`, only orders of that key count. */
export async function tellStory(
  id: string,
  opened: Opened,
  {
    owner,
    withReply = true,
    asJson,
  }: { readonly owner?: string | undefined; readonly withReply?: boolean; readonly asJson?: true | undefined },
): Promise<void> {
  const { mapping, times } = opened;
  await withDesk(opened, async (desk) => {
    let orders = await desk.named(id);
    // A script may have sent other ids besides the request id.
    if (orders.length === 0) orders = await searchJournal(id, opened.journal);
    if (owner !== undefined) orders = orders.filter((order) => order.owner === owner);
    const ofWhom = owner === undefined ? '' : ` of ${callerName(mapping, owner)}`;
    if (orders.length === 0) throw new Error(`There is no order ${id}${ofWhom} in the journal.`);
    for (const order of orders)
      if (asJson) print(escapeText(JSON.stringify(showOrder(order, opened, times), null, 2), '\n'));
      else print(textOfLines(storyLines(await desk.story(order), times, withReply)));
  });
}

const LABEL_WIDTH = 17;

function storyLines(story: OrderStory, times: Times, withReply: boolean): string[] {
  const { order, caller, operation, reason, family, fields, call, events, outcome, meaning, sinceMs, reference, money, balance } =
    story;
  const line = (label: string, text: string | undefined): string[] =>
    text === undefined ? [] : [`${label.padEnd(LABEL_WIDTH)}${text}`];
  const mapping = order.trail?.mapping ?? 'not recorded';
  const opened = times.text(order.openedAtMs);
  // The date is shown only if it is not the day of the order.
  const timeOf = (atMs: number): string => times.text(atMs).replace(opened.slice(0, 11), '').slice(-14);
  const naira = (amount: Parameters<typeof nairaText>[0] | undefined) =>
    amount === undefined ? undefined : `${nairaText(amount)} naira`;
  const reply = withReply ? explainOrderReply(order, story.mapping) : undefined;
  const known = story.mapping.operations.get(order.operation);
  const numbers = numbersIn(known, order.fields);
  const ruleOf = (...path: string[]): string =>
    known === undefined ? '' : `  ${showPlace(story.mapping.placeOf(['operations', order.operation, ...path]))}`;
  return [
    ...line('order', `${order.requestId}, number ${order.number}, opened ${opened}`),
    ...line('caller', caller === undefined ? `fingerprint ${order.owner}` : `${caller} (fingerprint ${order.owner})`),
    ...line('operation', operation.title === undefined ? operation.name : `${operation.name}: ${operation.title}${ruleOf()}`),
    ...line('format', `${order.format.toUpperCase()}: ${reason}`),
    ...line('family', family),
    ...line(
      'mapping',
      story.isAsItWas
        ? mapping
        : `${mapping}, which is not kept, or not readable by this build: what follows uses the set of today`,
    ),
    ...fields.flatMap(({ name, value, from, own }) =>
      line(
        'field',
        `${name} = ${value}  ${from === undefined ? 'by default' : `from ${from}`}${own === undefined ? '' : `, sent as ${own}`}${ruleOf('fields', name)}`,
      ),
    ),
    ...(call === undefined ? [] : line('v1 call', `${call.line} ${JSON.stringify(call.body)}`)),
    ...events.flatMap(({ atMs, what, text, tookMs }) =>
      line(timeOf(atMs), `${what.padEnd(8)} ${text}${tookMs === undefined ? '' : `, after ${tookMs} ms`}`),
    ),
    ...line('stands', `${outcome}: ${meaning}, since ${times.text(sinceMs)} (${times.zone})`),
    ...line('v1 reference', reference),
    ...line('asked for', naira(money.askedFor)),
    ...line('charged', naira(money.charged)),
    ...line('at risk', naira(money.atRisk)),
    ...line('balance', balance === undefined ? undefined : `${naira(balance.before)} before, ${naira(balance.after)} after`),
    ...line('not heard', story.untold),
    ...line('contrary end', story.contrary),
    ...(reply === undefined
      ? []
      : describeReply(reply, 'as its script hears it when it asks now').map((text) => maskIn(text, numbers))),
    '',
  ];
}

/** A value as text. Amounts are kobo inside the program and are shown in naira. */
export const showValue = ({ value, as }: Pick<ExplainedField, 'value' | 'as'>): string =>
  as === 'naira' && typeof value === 'number' ? `${nairaText(value as AmountMinor)} naira` : textOf(value);

export const showPlace = ({ file, line }: Place): string => `${file}:${line}`;

const ORDER_WORDS: Readonly<Record<ExplainedReply['outcome'], string>> = {
  success: 'a success',
  pending: 'a pending order',
  failure: 'a failure',
};

/** One line for each field of a reply, with the source of its value. */
export function describeReply({ outcome, http, fields }: ExplainedReply, remark = 'values are made up'): string[] {
  const width = Math.max(...fields.map(({ field }) => field.length), 1);
  return [
    '',
    `reply to ${ORDER_WORDS[outcome]} (HTTP ${http}; ${remark})`,
    ...fields.map(
      ({ field, value, source, place }) =>
        `  ${field.padEnd(width)}  ${shorten(textOf(value), 40)}  <- ${source}  ${showPlace(place)}`,
    ),
  ];
}

async function withDesk(opened: Opened, work: (desk: OrdersDesk) => Promise<void>): Promise<void> {
  const { config, journal, mapping } = opened;
  const notes = await openConfiguredNotes(config, true);
  // Without the gateway's secret the number index finds nothing, and only a search through the journal can.
  const secret = findGatewaySecret(config) ?? new Secret(randomBytes(32).toString('hex'));
  const desk = openOrdersDesk(config, {
    journal: async () => journal,
    notes: async () => notes,
    mapping: (): Mapping => mapping,
    history: openSetHistory(config.dataDir),
    keyring: createKeyring(secret),
    clock: systemClock,
    askV1: () => Promise.reject(new Error('A command asks through the running gateway.')),
    onTrouble: (_what, error) => void process.stderr.write(`${errorText(error)}\n`),
    isReadOnly: true,
  });
  try {
    await work(desk);
  } finally {
    await desk.close();
    await notes.close();
  }
}

/** A recheck reads pages of v1's history and receipts one after the other, and each call may take its full time limit. */
const RECHECK_MS = 5 * 60_000;

/** `compat-gateway orders recheck`: asks v1 about one order, with the key of its reseller. */
export function recheckCommand(): Command {
  return new Command('recheck')
    .description('Asks v1 again about one order, through the running gateway. Buys nothing. Type or pipe the key in.')
    .argument('<id>', "its request id, the id of our replies, or v1's reference", parseName(SENT_LENGTH_MAX))
    .option('--address <address>', 'the address of the script, if its key is locked to addresses', parseAddress)
    .addHelpText(
      'after',
      '\nExit codes: 0 v1 was asked, 1 it could not be, 2 bad usage, 130 cancelled.\n\nExample:\n  compat-gateway orders recheck first-a < key.txt',
    )
    .action(async (id: string, { address }: { readonly address?: string }) => {
      const { config } = readConfig();
      const key = await readKey();
      if (key === undefined) return;
      const asked = { id, key: key.revealForUseOnly(), ...(address === undefined ? {} : { address }) };
      const rechecked = await askAdminOrThrow(config, 'POST', '/orders/recheck', asked, RECHECK_MS);
      describeRecheck(rechecked as unknown as Rechecked).forEach(print);
    });
}

export function describeRecheck(rechecked: Rechecked): string[] {
  const { before, after } = rechecked;
  const isChanged = standing(before) !== standing(after);
  return [
    `v1 says   ${receiptText(rechecked)}`,
    `before    ${standing(before)}`,
    `now       ${isChanged ? standing(after) : 'the same'}`,
  ];
}

function standing({ outcome }: Order): string {
  const kind = outcome?.kind ?? 'open';
  return `${kind}: ${OUTCOME_MEANINGS[kind]}`;
}
