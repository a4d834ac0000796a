/** The page for a reseller on the phone: the search, the story of an order, asking v1 again, and the list for a spreadsheet. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, { type Request, type Response, type Router } from 'express';
import * as z from 'zod';
import { pause } from '../../domain/clock';
import { parseWallTime } from '../../domain/day';
import { nairaCell } from '../../domain/amount';
import { Secret, withoutPin } from '../../domain/credentials';
import type { Order } from '../../domain/order';
import { csvCell, errorText } from '../../domain/shown-words';
import { createTimes } from '../../domain/times';
import { NOT_KEPT } from '../../domain/traffic';
import type { Sets } from '../../gateway/read/earlier-set';
import { SENT_LENGTH_MAX } from '../../gateway/read/read-raw';
import { findCaller } from '../../mapping/caller-name';
import type { Mapping } from '../../mapping/mapping';
import { NAMED_MAX, OUTCOMES, type FindLimits, type FoundOrders, type OrderQuery } from '../../orders/find-orders';
import { rowOf, type FoundRow, type ShownRow } from '../../orders/found-row';
import { receiptText } from '../../orders/order-story';
import { badge, naira, notice, pager, selectField, table, textField, time } from '../components';
import type { ConsoleParts } from '../console-parts';
import { html, type Html } from '../html';
import { storyBody, TONES } from '../orders/story';
import { showPage, type ConsolePage } from '../page';

export const ordersPage: ConsolePage = {
  path: '/orders',
  title: 'Orders',
  routes(parts: ConsoleParts): Router {
    const router = express.Router();
    router.get('/', (request, response) => showSearch(request, response, parts));
    router.get('/export.csv', (request, response) => writeExport(request, response, parts));
    router.get('/:owner/:number', (request, response) => showStory(request, response, parts));
    router.post('/:owner/:number/recheck', (request, response) => recheck(request, response, parts));
    return router;
  },
};

/** A longer text is cut to one that no order has: without it the page would list all orders. */
const asText = z
  .string()
  .transform((text) => text.trim().slice(0, SENT_LENGTH_MAX + 1))
  .catch('');
const querySchema = z.object({
  q: asText,
  caller: asText,
  outcome: z.enum(OUTCOMES).optional().catch(undefined),
  operation: asText,
  from: asText,
  until: asText,
  refused: z.enum(['yes', 'no']).catch('yes'),
  cursor: asText,
});
type Asked = z.infer<typeof querySchema>;

/** The search text may be a number, a request id or a reference: all three are tried. */
async function search({ q }: Asked, query: OrderQuery, { orders }: ConsoleParts, limits: FindLimits = {}): Promise<FoundOrders> {
  if (q === '') return orders.find(query, limits);
  const [byNumber, byId, byReference] = await Promise.all([
    orders.find({ ...query, number: q }, limits),
    orders.find({ ...query, requestId: q }, { ...limits, pageSize: NAMED_MAX }),
    orders.find({ ...query, reference: q }, { ...limits, pageSize: NAMED_MAX }),
  ]);
  const found = [byId, byReference].flatMap(({ rows }) => rows);
  // An id names one order, so its rows go on the first page, before those found by number, which may fill several pages.
  return found.length > 0 && query.cursor === undefined
    ? { ...byNumber, rows: [...found, ...excludeRows(byNumber.rows, found)] }
    : byNumber;
}

function excludeRows(rows: readonly FoundRow[], others: readonly FoundRow[]): readonly FoundRow[] {
  const nameOf = (row: FoundRow): string | number => (row.kind === 'order' ? hrefOf(row.order) : row.refused.atMs);
  const known = new Set(others.map(nameOf));
  return rows.filter((row) => !known.has(nameOf(row)));
}

/** Throws a sentence for the operator if a field cannot be used. */
async function queryOf(asked: Asked, { live, journal, facts }: ConsoleParts): Promise<OrderQuery> {
  const { caller, outcome, operation, from, until, refused, cursor } = asked;
  return {
    caller: caller === '' ? undefined : findCaller(caller, live.current(), await (await journal()).owners()),
    outcome,
    operation: operation === '' ? undefined : operation,
    fromMs: timeIn(from, 'From', facts.timeZone),
    untilMs: timeIn(until, 'Until', facts.timeZone),
    refusedToo: refused === 'yes',
    cursor: cursor === '' ? undefined : cursor,
  };
}

function timeIn(text: string, field: string, timeZone: string): number | undefined {
  if (text === '') return undefined;
  const ms = parseWallTime(text, timeZone);
  if (ms === undefined) throw new Error(`${field} is no date.`);
  return ms;
}

async function showSearch(request: Request, response: Response, parts: ConsoleParts): Promise<void> {
  const asked = querySchema.parse(request.query);
  const mapping = parts.live.current();
  try {
    const found = await search(asked, await queryOf(asked, parts), parts);
    const list = html`${remarks(found)}${listOf(found.rows, { mapping, setOf: parts.live.history.mappingOf }, asked)}${pager({ older: olderHref(asked, found), newest: asked.cursor === '' ? undefined : hrefWith({ ...asked, cursor: '' }) })}`;
    showPage(request, response, { title: 'Orders', body: html`${searchForm(asked, mapping)}${list}` });
  } catch (error) {
    showRefused(request, response, asked, { error, mapping });
  }
}

function showRefused(
  request: Request,
  response: Response,
  asked: Asked,
  { error, mapping }: { readonly error: unknown; readonly mapping: Mapping },
): void {
  const words = errorText(error);
  showPage(request, response, {
    title: 'Orders',
    body: html`${searchForm(asked, mapping)}${notice('bad', words)}`,
    status: 400,
  });
}

function searchForm(asked: Asked, mapping: Mapping): Html {
  const operations = [...mapping.operations.values()].filter(({ kind }) => kind === 'purchase');
  return html`<form method="get" action="/console/orders" class="card fields">
    ${textField({ name: 'q', label: 'Number, id or reference', value: asked.q, type: 'search' })}
    ${textField({ name: 'caller', label: 'Caller: title or fingerprint', value: asked.caller })}
    ${selectField({ name: 'outcome', label: 'Outcome', value: asked.outcome ?? '', options: [['', 'Any'], ...OUTCOMES.map((one) => [one, one.replace('_', ' ')] as const)] })}
    ${selectField({ name: 'operation', label: 'Operation', value: asked.operation, options: [['', 'Any'], ...operations.map(({ name, title }) => [name, title] as const)] })}
    ${textField({ name: 'from', label: 'From', value: asked.from, type: 'datetime-local' })}
    ${textField({ name: 'until', label: 'Until', value: asked.until, type: 'datetime-local' })}
    ${selectField({
      name: 'refused',
      label: 'Refused requests',
      value: asked.refused,
      options: [
        ['yes', 'Shown'],
        ['no', 'Not shown'],
      ],
    })}
    <div class="row wide">
      <button class="primary">Search</button>
      <a class="button" href="${`/console/orders/export.csv${parametersOf({ ...asked, cursor: '' })}`}" download>Export as CSV</a>
    </div>
  </form>`;
}

function remarks({ searchedBackToMs, numbersFromMs, notSearched }: FoundOrders): Html {
  return html`${numbersFromMs !== undefined && notice('info', html`Orders since ${time(numbersFromMs)} can be found by number; older ones are being indexed.`)}
  ${notSearched !== undefined && notice('info', html`Orders between ${time(notSearched.fromMs)} and ${time(notSearched.untilMs)} were not searched: they are being indexed. Search again in a minute.`)}
  ${searchedBackToMs !== undefined && notice('info', html`Looked through all orders back to ${time(searchedBackToMs)}. "Older" looks further.`)}`;
}

function listOf(rows: readonly FoundRow[], sets: Sets, asked: Asked): Html {
  return table(
    rows.map((found) => ({ ...rowOf(found, sets), order: found.kind === 'order' ? found.order : undefined })),
    [
      {
        title: 'Time',
        cell: ({ order, atMs }) => (order === undefined ? time(atMs) : html`<a href="${hrefOf(order)}">${time(atMs)}</a>`),
      },
      {
        title: 'Caller',
        cell: ({ owner, caller }) => (owner === undefined ? caller : html`<a href="/console/callers/${owner}">${caller}</a>`),
      },
      { title: 'Operation', cell: ({ operation }) => sets.mapping.operations.get(operation)?.title ?? operation },
      { title: 'Number', cell: ({ numbers }) => numbers },
      {
        title: 'Outcome',
        cell: ({ outcome }) => badge(outcome === 'refused' ? 'bad' : TONES[outcome], outcome.replace('_', ' ')),
      },
      { title: 'Asked for', cell: ({ money }) => money.askedFor !== undefined && naira(money.askedFor), isNumber: true },
      { title: 'Id, reference or reply', cell: idAndEnd },
    ],
    {
      caption: 'Orders and refused requests, newest first',
      empty:
        parametersOf(asked) === ''
          ? 'No request has come yet. The README shows a first sale, and the page Try can send one to the sandbox.'
          : 'Nothing is found. Type numbers, ids and references whole, or take a condition away.',
    },
  );
}

/** The longest text that a row shows whole. Of a longer one it shows the first sentence, and the others when it is opened. */
const TOLD_MAX = 150;

function idAndEnd({ outcome, requestId, reference, told }: ShownRow): Html {
  const id = html`<code>${requestId}</code>`;
  if (outcome !== 'refused') return html`<span>${id} <code>${reference}</code></span>`;
  const [, first, others] = /^(.+?[.]) (.+)$/s.exec(told) ?? [];
  return html`<div>
    ${requestId !== '' && requestId !== NOT_KEPT && html`<div>${id}</div>`}
    ${
      told.length <= TOLD_MAX || first === undefined
        ? told
        : html`<details>
            <summary>${first}</summary>
            ${others}
          </details>`
    }
  </div>`;
}

function hrefOf({ owner, number }: Order): string {
  return `/console/orders/${encodeURIComponent(owner)}/${number}`;
}

function olderHref(asked: Asked, { next }: FoundOrders): string | undefined {
  return next === undefined ? undefined : hrefWith({ ...asked, cursor: next });
}

function hrefWith(asked: Asked): string {
  return `/console/orders${parametersOf(asked)}`;
}

function parametersOf(asked: Asked): string {
  const set = Object.entries(asked).filter(
    ([name, value]) => value !== undefined && value !== '' && !(name === 'refused' && value === 'yes'),
  );
  return set.length === 0 ? '' : `?${new URLSearchParams(set as [string, string][]).toString()}`;
}

async function orderAt(request: Request, { journal }: ConsoleParts): Promise<Order | undefined> {
  const { owner, number } = request.params;
  return (await journal()).findByNumber(String(owner), Number(number));
}

async function showStory(request: Request, response: Response, parts: ConsoleParts, said?: Html, status = 200): Promise<void> {
  const order = await orderAt(request, parts);
  if (order === undefined) {
    const body = notice('warn', 'There is no such order in the journal. It may be older than JOURNAL_DAYS.');
    return showPage(request, response, { title: 'Order not found', body, status: 404 });
  }
  const story = await parts.orders.story(order);
  const body = html`<p><a href="/console/orders">All orders</a></p>
    ${said}${storyBody(story, parts.clock.now())}`;
  showPage(request, response, { title: `Order ${order.requestId}`, body, status });
}

const recheckSchema = z.object({
  key: z.string().trim().min(1).max(300),
  address: z.union([z.ipv4(), z.ipv6()]).optional().or(z.literal('')),
});

async function recheck(request: Request, response: Response, parts: ConsoleParts): Promise<void> {
  const order = await orderAt(request, parts);
  const read = recheckSchema.safeParse(request.body);
  const say = (said: Html, status?: number): Promise<void> => showStory(request, response, parts, said, status);
  if (order === undefined) return showStory(request, response, parts);
  if (!read.success) return say(notice('bad', 'Type the API key of this order. The address is an IP address, or empty.'), 400);
  const { key, address } = read.data;
  try {
    const asked = { id: String(order.number), key: new Secret(withoutPin(key)), ...(address ? { address } : {}) };
    const rechecked = await parts.orders.recheck(asked);
    const { before, after } = rechecked;
    const says = `v1 says: ${receiptText(rechecked)}`;
    const [was, is] = [before.outcome?.kind ?? 'open', after.outcome?.kind ?? 'open'];
    const stands = was === is ? `The order stands as before: ${is}.` : `The order was ${was} and is ${is} now.`;
    await say(notice(was === is ? 'info' : 'good', `${says}. ${stands}`));
  } catch (error) {
    await say(notice('bad', errorText(error)), 409);
  }
}

const EXPORT_MAX = 1_000_000;
const EXPORT_PAGE = 500;
const EXPORT_COLUMNS = 'time caller operation number outcome asked_for_naira charged_naira request_id reference told';
/** How long orders are read in one turn, and how long selling then has the thread to itself: reading a local journal blocks the thread. */
const EXPORT_TURN_MS = 10;

async function writeExport(request: Request, response: Response, parts: ConsoleParts): Promise<void> {
  const asked = querySchema.parse(request.query);
  let query: OrderQuery;
  try {
    query = await queryOf(asked, parts);
  } catch (error) {
    return showRefused(request, response, asked, { error, mapping: parts.live.current() });
  }
  response.type('text/csv').attachment('orders.csv');
  await pipeline(Readable.from(exportPages(asked, query, parts)), response).catch((error: NodeJS.ErrnoException) => {
    // The browser has left.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

/** Page by page: a million orders do not fit into memory. */
async function* exportPages(asked: Asked, query: OrderQuery, parts: ConsoleParts): AsyncGenerator<string> {
  yield csvLine(EXPORT_COLUMNS.split(' '));
  const sets = { mapping: parts.live.current(), setOf: parts.live.history.mappingOf };
  // Spreadsheets show times as they are: the times are those of the pages, and days begin as `from` and `until` have them.
  const timeText = createTimes(parts.facts.timeZone).iso;
  // A search by number or id uses an index and is fast, so only other exports have a time limit.
  const limits = { pageSize: EXPORT_PAGE, ...(asked.q === '' ? { budgetMs: EXPORT_TURN_MS } : {}) };
  let cursor: string | undefined;
  for (let written = 0; written < EXPORT_MAX;) {
    const found = await search(asked, { ...query, cursor }, parts, limits);
    yield found.rows.map((row) => csvLine(exportCells(rowOf(row, sets), timeText))).join('');
    written += found.rows.length;
    cursor = found.next;
    if (cursor === undefined) return;
    await pause(parts.clock, EXPORT_TURN_MS);
  }
}

function exportCells(row: ShownRow, timeText: (ms: number) => string): readonly string[] {
  const { atMs, caller, operation, numbers, outcome, money, requestId, reference, told } = row;
  const amounts = [nairaCell(money.askedFor), nairaCell(money.charged)];
  return [timeText(atMs), caller, operation, numbers, outcome, ...amounts, requestId, reference, told];
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}
