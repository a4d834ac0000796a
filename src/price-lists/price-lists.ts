/**
 * v1's price list, one per key. It holds prices and names only: orders and balances never come from here.
 *
 * Two uses, two rules. The gateway itself reads a stale list at once and renews it behind the request (`get`, `peek`). A
 * caller is shown a list only while v1 accepts its key at its address (`show`): a stale one only while v1 cannot be reached.
 */
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { CallContext, Finding, Upstream } from '../upstream/upstream';
import { v1CablePlanSchema, type V1Catalog, v1CatalogSchema, v1DataPlanSchema, v1DiscoSchema } from '../upstream/v1';
import {
  createVisitors,
  FRESH_MS,
  hearFinding,
  isKeyRefusal,
  PAUSE_MS,
  pauseAfter,
  STALE_MS,
  visitorOf,
  type Visitors,
} from '../upstream/visitors';
import type { JsonObject, JsonValue } from '../domain/json';
import { isJsonObject } from '../upstream/answer-data';

/** v1's rows as it sent them. Frozen to the last row, because many requests share one. */
export type PriceList = Readonly<V1Catalog>;

export interface PriceLists {
  /**
   * The catalog of the caller's key, for what the gateway itself looks up: at once when there is one, else fetched inside
   * the context's time limit. Undefined when v1 gives none. Never throws.
   */
  get(context: CallContext): Promise<PriceList | undefined>;
  /**
   * The catalog as a list that the caller may see. v1 has accepted this key at this address within the fresh time, or is
   * asked now. Undefined when v1 refuses, or cannot be reached and never accepted this address. Never throws.
   */
  show(context: CallContext): Promise<PriceList | undefined>;
  /** The catalog of a key if there is one in memory. Never waits and fetches nothing: purchases use this. */
  peek(fingerprint: string): PriceList | undefined;
  /** Starts a fetch if `get` would, and does not wait for it. */
  warm(context: CallContext): void;
}

export interface PriceListOptions {
  readonly upstream: Pick<Upstream, 'find'>;
  /** What v1 has said of keys at addresses; its refusal of a key drops the key's list at once. Its own when absent. */
  readonly visitors?: Visitors;
  readonly freshMs?: number;
  /** How long beyond `freshMs` a list is still handed out while a new one is fetched or cannot be had. */
  readonly staleMs?: number;
  /** Pause after a fetch that failed, so that a v1 in trouble is not asked by every request. */
  readonly pauseMs?: number;
  /** Longest wait for a fresh list or a verdict of v1 where a stale list is at hand. */
  readonly staleAfterMs?: number;
  readonly entriesMax?: number;
  /** Bound on the rows of all lists together: keys are many, and some price lists are long. */
  readonly rowsMax?: number;
  /** Milliseconds that only go forward, by the clock of the gateway. */
  readonly clock: () => number;
}

interface Entry {
  readonly catalog: PriceList | undefined;
  readonly freshUntilMs: number;
  readonly staleUntilMs: number;
  /** No fetch before this time. */
  readonly pausedUntilMs: number;
  /** How often v1 had refused the key when the list was asked for: one refusal more, and the list is gone. */
  readonly refusals: number;
}

const FETCH_TIMEOUT_MS = 10_000;
const STALE_AFTER_MS = 4_000;
const ENTRIES_MAX = 500;
// About 600 bytes each.
const ROWS_MAX = 200_000;
// List, row, value: what v1 might nest below that is not read by anyone.
const FROZEN_DEPTH = 4;

/** Makes an empty cache. A key itself is held only by a fetch under way; entries know its fingerprint alone. */
export function createPriceLists(options: PriceListOptions): PriceLists {
  const { upstream, clock, staleAfterMs = STALE_AFTER_MS } = options;
  const { freshMs = FRESH_MS, staleMs = STALE_MS, pauseMs = PAUSE_MS } = options;
  const visitors = options.visitors ?? createVisitors({ upstream, freshMs, staleMs, pauseMs, clock });
  const lists = new KeptLists(visitors, options);
  const fetches = new Map<string, Promise<void>>();

  /** One fetch at a time for a key and address; all who ask meanwhile share it. */
  function fetchOnce(context: CallContext): Promise<void> {
    const name = visitorOf(context);
    const running = fetches.get(name);
    if (running !== undefined) return running;
    // Whoever joins later may be more patient than whoever came first, so the fetch has a time limit of its own.
    const fetching = fetchCatalog({ ...context, timeoutMs: FETCH_TIMEOUT_MS }).finally(() => fetches.delete(name));
    fetches.set(name, fetching);
    return fetching;
  }

  async function fetchCatalog(context: CallContext): Promise<void> {
    const refusals = visitors.refusalsOf(context.credentials.fingerprint);
    const finding = await upstream.find({ method: 'GET', path: '/catalog' }, context);
    hearFinding('/catalog', finding, context, visitors);
    lists.note(finding, context.credentials.fingerprint, refusals);
  }

  /** What has to be asked before this caller may see a list; undefined when v1 has just said so or is left in peace. */
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
      await within(fetching, context.timeoutMs);
      return lists.usableOf(fingerprint);
    },
    async show(context) {
      const { fingerprint } = context.credentials;
      const hasList = visitors.isKnown(context) && lists.usableOf(fingerprint) !== undefined;
      const asking = askFor(context);
      if (asking !== undefined) await within(asking, hasList ? Math.min(staleAfterMs, context.timeoutMs) : context.timeoutMs);
      // Whatever was refused meanwhile is gone from both.
      return visitors.isKnown(context) ? lists.usableOf(fingerprint) : undefined;
    },
    peek: (fingerprint) => lists.usableOf(fingerprint),
    warm(context) {
      if (lists.isFetchDue(context)) void fetchOnce(context);
    },
  };
}

type ListTimes = Pick<PriceListOptions, 'freshMs' | 'staleMs' | 'pauseMs' | 'entriesMax' | 'rowsMax' | 'clock'>;

/** The lists in memory, by fingerprint, and when each is to be asked for again. */
class KeptLists {
  readonly #visitors: Visitors;
  readonly #clock: () => number;
  readonly #freshMs: number;
  readonly #staleMs: number;
  readonly #pauseMs: number;
  readonly #entries: LRUCache<string, Entry>;

  constructor(
    visitors: Visitors,
    { freshMs = FRESH_MS, staleMs = STALE_MS, pauseMs = PAUSE_MS, entriesMax, rowsMax, clock }: ListTimes,
  ) {
    this.#visitors = visitors;
    this.#clock = clock;
    this.#freshMs = freshMs;
    this.#staleMs = staleMs;
    this.#pauseMs = pauseMs;
    this.#entries = new LRUCache<string, Entry>({
      max: entriesMax ?? ENTRIES_MAX,
      maxSize: rowsMax ?? ROWS_MAX,
      sizeCalculation: ({ catalog }) => 1 + (catalog === undefined ? 0 : catalog.data_plans.length + catalog.cable_plans.length),
    });
  }

  usableOf(fingerprint: string): PriceList | undefined {
    const entry = this.#entryOf(fingerprint);
    return entry !== undefined && this.#clock() < entry.staleUntilMs ? entry.catalog : undefined;
  }

  isFetchDue(context: CallContext): boolean {
    if (this.#visitors.isPaused(context)) return false;
    const entry = this.#entryOf(context.credentials.fingerprint);
    return entry === undefined || (this.#clock() >= entry.freshUntilMs && this.#clock() >= entry.pausedUntilMs);
  }

  /** Keeps the list that v1 gave, or a pause where it gave none. `refusals` is how often it had refused the key before. */
  note(finding: Finding, fingerprint: string, refusals: number): void {
    if (finding.kind === 'refused' && isKeyRefusal(finding.httpStatus)) return;
    const now = this.#clock();
    const catalog = finding.kind === 'found' ? readCatalog(finding.body) : undefined;
    // v1 may have given this list before it refused the key: a refusal since then has dropped this one as well.
    if (catalog !== undefined && this.#visitors.refusalsOf(fingerprint) === refusals) {
      const freshUntilMs = now + this.#freshMs;
      const staleUntilMs = freshUntilMs + this.#staleMs;
      const frozen = freeze(catalog, FROZEN_DEPTH);
      this.#entries.set(fingerprint, { catalog: frozen, freshUntilMs, staleUntilMs, pausedUntilMs: 0, refusals });
      return;
    }
    const pausedUntilMs = now + pauseAfter(finding, { pauseMs: this.#pauseMs, freshMs: this.#freshMs });
    const empty = { catalog: undefined, staleUntilMs: 0, refusals: this.#visitors.refusalsOf(fingerprint) };
    this.#entries.set(fingerprint, { ...(this.#entryOf(fingerprint) ?? empty), freshUntilMs: 0, pausedUntilMs });
  }

  /** What is kept of the key, unless v1 has refused the key since. */
  #entryOf(fingerprint: string): Entry | undefined {
    const entry = this.#entries.get(fingerprint);
    return entry?.refusals === this.#visitors.refusalsOf(fingerprint) ? entry : undefined;
  }
}

/** The value, or undefined when it takes longer than the caller waits. */
async function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, Math.min(timeoutMs, 2_147_483_647)));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function freeze<T>(value: T, depth: number): T {
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  for (const inner of Object.values(value)) freeze(inner, depth - 1);
  return Object.freeze(value);
}

/** v1's catalog reply as rows that can be trusted. */

/**
 * The rows of a reply, or `undefined` if it is no catalog at all. A row that cannot be read is left out rather than
 * taking a thousand good ones with it: one plan cannot be listed then, instead of none.
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
  const { exam_prices, recharge_card_prices, bulk_sms_pricing, cashback } = v1CatalogSchema.shape;
  return {
    ...data,
    data_plans: rows(v1DataPlanSchema, data.data_plans),
    cable_plans: rows(v1CablePlanSchema, data.cable_plans),
    discos: rows(v1DiscoSchema, data.discos),
    exam_prices: table(exam_prices, data.exam_prices, {}),
    recharge_card_prices: table(recharge_card_prices, data.recharge_card_prices, {}),
    bulk_sms_pricing: table(bulk_sms_pricing, data.bulk_sms_pricing ?? null, null),
    cashback: table(cashback, data.cashback ?? null, null),
  };
}
