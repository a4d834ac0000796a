/**
 * Keeps v1's price list for each key. A list has prices and names only: orders and balances never come from here.
 *
 * There are two uses with different rules. The gateway itself uses a stale list at once, and a new one is fetched in the background
 * (`get`, `peek`). A caller is shown a list only while v1 accepts its key at its address (`show`), and a stale one only while v1
 * cannot be reached.
 */
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { CallContext, Finding, Upstream } from '../upstream/upstream';
import { readNaira } from '../upstream/answer-data';
import { v1CablePlanSchema, type V1Catalog, v1CatalogSchema, v1DataPlanSchema, v1DiscoSchema } from '../upstream/v1';
import {
  createVisitors,
  FRESH_MS,
  noteFinding,
  isKeyRefusal,
  pauseAfter,
  STALE_MS,
  visitorOf,
  type Visitors,
} from '../upstream/visitors';
import { within, type Clock } from '../domain/clock';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json';
import { createLru } from '../domain/lru';

/** v1's rows as v1 sent them. They are frozen, because many requests share one list. */
export type PriceList = Readonly<V1Catalog>;

export interface PriceLists {
  /**
   * The price list of the caller's key for look-ups of the gateway itself: at once if a list is in memory, otherwise fetched within
   * the context's time limit. Undefined if v1 gives none. Never throws.
   */
  get(context: CallContext): Promise<PriceList | undefined>;
  /**
   * The price list to show to the caller. v1 is asked first if the list is stale, or if v1 has not accepted the key at this address
   * lately (`FRESH_MS`).
   * Undefined if v1 refuses, or if v1 cannot be reached and has not accepted the key at this address lately. Never throws.
   */
  show(context: CallContext): Promise<PriceList | undefined>;
  /** The price list of a key if one is in memory. Purchases use this, because it never waits and fetches nothing. */
  peek(fingerprint: string): PriceList | undefined;
  /**
   * Starts a fetch if one is due, and returns it; it never rejects. Undefined where none is due, or where several long lists are being fetched
   * already: with very many keys, reading them would take the time of the sales, and a purchase can do without its list.
   */
  warm(context: CallContext): Promise<void> | undefined;
}

export interface PriceListOptions {
  readonly upstream: Pick<Upstream, 'find'>;
  /** v1's judgements of keys at addresses. A refusal of a key drops the key's list at once. By default a new memory is made. */
  readonly visitors?: Visitors;
  /** How long a list is still used after it was fresh while a new one is fetched or v1 gives none. */
  readonly staleMs?: number;
  /** Longest wait for a fresh list or a judgement of v1 if a stale list is in memory. */
  readonly staleAfterMs?: number;
  readonly entriesMax?: number;
  /** Bound on the rows of all lists together. A list that many keys share counts once. */
  readonly rowsMax?: number;
  readonly clock: Clock;
}

interface Entry {
  /** The number of the key's list. */
  readonly list: number | undefined;
  readonly freshUntilMs: number;
  readonly staleUntilMs: number;
  /** No fetch before this time. */
  readonly pausedUntilMs: number;
  /** The value of `refusalsOf` the key when the fetch began. It rises with each refusal, and the list is then no longer used. */
  readonly refusals: number;
}

const FETCH_TIMEOUT_MS = 10_000;
const STALE_AFTER_MS = 4_000;
const ENTRIES_MAX = 10_000;
// About 600 bytes each.
const ROWS_MAX = 200_000;
const LONG_ROWS = 2_000;
const LONG_ONES_MAX = 2;
// The levels are list, row and value. The gateway reads nothing that v1 nests more deeply.
const FROZEN_DEPTH = 4;

/** Makes an empty cache. Entries are kept by fingerprint; only a running fetch holds the key itself. */
export function createPriceLists(options: PriceListOptions): PriceLists {
  const { upstream, clock, staleAfterMs = STALE_AFTER_MS } = options;
  const visitors =
    options.visitors ?? createVisitors({ upstream, staleMs: options.staleMs ?? STALE_MS, clock: () => clock.elapsed() });
  const lists = new KeptLists(visitors, options);
  const fetches = new Map<string, Promise<void>>();

  /** Runs one fetch at a time for a key and address; all requests in the meantime share it. */
  function fetchOnce(context: CallContext): Promise<void> {
    const name = visitorOf(context);
    const running = fetches.get(name);
    if (running !== undefined) return running;
    // The fetch has a time limit of its own, because a request that joins later may wait longer than the first one.
    const fetching = fetchCatalog({ ...context, timeoutMs: FETCH_TIMEOUT_MS }).finally(() => fetches.delete(name));
    fetches.set(name, fetching);
    return fetching;
  }

  async function fetchCatalog(context: CallContext): Promise<void> {
    const refusals = visitors.refusalsOf(context.credentials.fingerprint);
    const finding = await upstream.find({ method: 'GET', path: '/catalog' }, context);
    noteFinding('/catalog', finding, context, visitors);
    lists.note(finding, context.credentials.fingerprint, refusals);
  }

  /** Asks v1 before this caller may see a list. Undefined if v1 has just judged the caller, or v1 is not to be asked now. */
  function askFor(context: CallContext): Promise<unknown> | undefined {
    if (lists.isFetchDue(context)) return fetchOnce(context);
    const isJudged = visitors.isFresh(context) || visitors.isPaused(context);
    return isJudged || lists.usableOf(context.credentials.fingerprint) === undefined ? undefined : visitors.ask(context);
  }

  return {
    async get(context) {
      const { fingerprint } = context.credentials;
      const catalog = lists.usableOf(fingerprint);
      if (!lists.isFetchDue(context)) return catalog;
      const fetching = fetchOnce(context);
      if (catalog !== undefined) return catalog;
      await within(clock, context.timeoutMs, fetching);
      return lists.usableOf(fingerprint);
    },
    async show(context) {
      const { fingerprint } = context.credentials;
      const hasList = visitors.isKnown(context) && lists.usableOf(fingerprint) !== undefined;
      const asking = askFor(context);
      if (asking !== undefined)
        await within(clock, hasList ? Math.min(staleAfterMs, context.timeoutMs) : context.timeoutMs, asking);
      // A refusal of v1 in the meantime has removed the visit, the list, or both.
      return visitors.isKnown(context) ? lists.usableOf(fingerprint) : undefined;
    },
    peek: (fingerprint) => lists.usableOf(fingerprint),
    warm(context) {
      const isCrowded = lists.areLong && fetches.size >= LONG_ONES_MAX && !fetches.has(visitorOf(context));
      return isCrowded || !lists.isFetchDue(context) ? undefined : fetchOnce(context);
    },
  };
}

type ListTimes = Pick<PriceListOptions, 'staleMs' | 'entriesMax' | 'rowsMax' | 'clock'>;

/** The lists in memory, by fingerprint, with the times of their next fetches. */
class KeptLists {
  readonly #visitors: Visitors;
  readonly #clock: Clock;
  readonly #staleMs: number;
  readonly #entries: LRUCache<string, Entry>;
  /** By number. Keys with the same prices share one list. */
  readonly #lists: LRUCache<number, PriceList>;
  readonly #numbers = new WeakMap<PriceList, number>();
  #newest = 0;
  /** Whether the list that was read last is a long one. */
  areLong = false;

  constructor(visitors: Visitors, { staleMs = STALE_MS, entriesMax, rowsMax, clock }: ListTimes) {
    this.#visitors = visitors;
    this.#clock = clock;
    this.#staleMs = staleMs;
    this.#entries = createLru(entriesMax ?? ENTRIES_MAX);
    this.#lists = new LRUCache<number, PriceList>({
      maxSize: rowsMax ?? ROWS_MAX,
      sizeCalculation: rowsOf,
    });
  }

  usableOf(fingerprint: string): PriceList | undefined {
    const entry = this.#entryOf(fingerprint);
    return entry?.list !== undefined && this.#clock.elapsed() < entry.staleUntilMs ? this.#lists.get(entry.list) : undefined;
  }

  isFetchDue(context: CallContext): boolean {
    if (this.#visitors.isPaused(context)) return false;
    const entry = this.#entryOf(context.credentials.fingerprint);
    return entry === undefined || (this.#clock.elapsed() >= entry.freshUntilMs && this.#clock.elapsed() >= entry.pausedUntilMs);
  }

  /** Keeps the list that v1 gave, or a pause if v1 gave none. `refusals` is `refusalsOf` the key before the fetch. */
  note(finding: Finding, fingerprint: string, refusals: number): void {
    if (finding.kind === 'refused' && isKeyRefusal(finding.httpStatus)) return;
    const now = this.#clock.elapsed();
    const catalog = finding.kind === 'found' ? listIn(finding.body) : undefined;
    // A refusal during the fetch may be later than this list, so the list is not kept.
    if (catalog !== undefined && this.#visitors.refusalsOf(fingerprint) === refusals) {
      const freshUntilMs = now + FRESH_MS;
      const staleUntilMs = freshUntilMs + this.#staleMs;
      const list = this.#numbers.get(catalog) ?? (this.#newest += 1);
      this.#numbers.set(catalog, list);
      this.#lists.set(list, catalog);
      this.areLong = rowsOf(catalog) > LONG_ROWS;
      this.#entries.set(fingerprint, { list, freshUntilMs, staleUntilMs, pausedUntilMs: 0, refusals });
      return;
    }
    const pausedUntilMs = now + pauseAfter(finding);
    const empty = { list: undefined, staleUntilMs: 0, refusals: this.#visitors.refusalsOf(fingerprint) };
    this.#entries.set(fingerprint, { ...(this.#entryOf(fingerprint) ?? empty), freshUntilMs: 0, pausedUntilMs });
  }

  /** The entry of the key. Undefined if v1 has refused the key since, or if the list was dropped for want of room. */
  #entryOf(fingerprint: string): Entry | undefined {
    const entry = this.#entries.get(fingerprint);
    if (entry?.list !== undefined && !this.#lists.has(entry.list)) return undefined;
    return entry?.refusals === this.#visitors.refusalsOf(fingerprint) ? entry : undefined;
  }
}

const rowsOf = ({ data_plans, cable_plans }: PriceList): number => 1 + data_plans.length + cable_plans.length;

const listsRead = new WeakMap<JsonObject, PriceList>();

/** The list in v1's answer. Keys with the same answer share one list. */
function listIn(body: JsonObject): PriceList | undefined {
  const known = listsRead.get(body);
  if (known !== undefined) return known;
  const catalog = readCatalog(body);
  if (catalog === undefined) return undefined;
  const list = freeze(catalog, FROZEN_DEPTH);
  listsRead.set(body, list);
  return list;
}

function freeze<T>(value: T, depth: number): T {
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  for (const inner of Object.values(value)) freeze(inner, depth - 1);
  return Object.freeze(value);
}

/**
 * Reads v1's catalog reply into checked rows; `undefined` if the reply is no catalog. An unreadable row is left out, so that only
 * this one plan is missing from lists and not all plans; so is an unreadable price of a table.
 */
export function readCatalog(body: JsonObject): V1Catalog | undefined {
  const { data } = body;
  if (!isJsonObject(data) || !Array.isArray(data.data_plans)) return undefined;
  const rows = <Row>(schema: z.ZodType<Row>, value: JsonValue | undefined): Row[] => {
    const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
    return items.flatMap((item) => schema.safeParse(item).data ?? []);
  };
  const table = <Table>(schema: z.ZodType<Table>, value: JsonValue | undefined, without: Table): Table => {
    const read = schema.safeParse(value);
    return read.success ? read.data : without;
  };
  const { bulk_sms_pricing, cashback } = v1CatalogSchema.shape;
  const ofNetworks = Object.entries(mapIn(data.recharge_card_prices)).map(([network, prices]) => [network, pricesIn(prices)]);
  return {
    ...data,
    data_plans: rows(v1DataPlanSchema, data.data_plans),
    cable_plans: rows(v1CablePlanSchema, data.cable_plans),
    discos: rows(v1DiscoSchema, data.discos),
    exam_prices: pricesIn(data.exam_prices),
    recharge_card_prices: Object.fromEntries(ofNetworks) as V1Catalog['recharge_card_prices'],
    bulk_sms_pricing: table(bulk_sms_pricing, data.bulk_sms_pricing ?? null, null),
    cashback: table(cashback, data.cashback ?? null, null),
  };
}

/** Empty for anything else: PHP writes a map without entries as `[]`. */
function mapIn(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function pricesIn(value: JsonValue | undefined): V1Catalog['exam_prices'] {
  const readable = Object.entries(mapIn(value)).filter(([, price]) => readNaira(price) !== undefined);
  return Object.fromEntries(readable) as V1Catalog['exam_prices'];
}
