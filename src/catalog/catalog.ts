/**
 * v1's price list, one per key. A list is used while fresh, used once more and renewed behind the caller's back while
 * stale, and kept in use while v1 cannot be reached. It holds prices and names only: orders and balances never come
 * from here.
 */
import { LRUCache } from 'lru-cache';
import type { CallContext, Upstream } from '../upstream/upstream';
import type { V1CablePlan, V1Catalog, V1DataPlan, V1Disco } from '../upstream/v1';
import { readCatalog, type ReadCatalog } from './read-catalog';

/** v1's rows as it sent them, with indexes. Frozen to the last row, because many requests share one. */
export interface Catalog extends Readonly<V1Catalog> {
  /** When v1 gave it, in milliseconds since the epoch. */
  readonly fetchedAtMs: number;
  /** Rows and price tables left out because v1 sent them in another shape. */
  readonly omitted: number;
  dataPlan(id: number): Readonly<V1DataPlan> | undefined;
  cablePlan(id: number): Readonly<V1CablePlan> | undefined;
  disco(id: number): Readonly<V1Disco> | undefined;
}

export interface Catalogs {
  /**
   * The catalog of the caller's key: at once when there is one, else fetched inside the context's time limit. Undefined
   * when v1 gives none. Never throws.
   */
  get(context: CallContext): Promise<Catalog | undefined>;
  /** The catalog of a key if there is one in memory. Never waits and fetches nothing: purchases use this. */
  peek(fingerprint: string): Catalog | undefined;
  /** Starts a fetch if `get` would, and does not wait for it. */
  warm(context: CallContext): void;
}

export interface CatalogOptions {
  readonly upstream: Pick<Upstream, 'find'>;
  readonly freshMs?: number;
  /** How long beyond `freshMs` a list is still handed out while a new one is fetched or cannot be had. */
  readonly staleMs?: number;
  /** Pause after a fetch that failed, so that a v1 in trouble is not asked by every request. */
  readonly pauseMs?: number;
  /** Longest fetch in the background, where no caller waits. */
  readonly fetchTimeoutMs?: number;
  readonly entriesMax?: number;
  /** Bound on the rows of all lists together: keys are many, and some price lists are long. */
  readonly rowsMax?: number;
  readonly clock?: () => number;
}

interface Entry {
  readonly catalog: Catalog | undefined;
  readonly freshUntilMs: number;
  readonly staleUntilMs: number;
  /** No fetch before this time. */
  readonly pausedUntilMs: number;
}

const FRESH_MS = 60_000;
const STALE_MS = 24 * 60 * 60_000;
const PAUSE_MS = 2_000;
const FETCH_TIMEOUT_MS = 10_000;
const ENTRIES_MAX = 500;
// About 600 bytes each.
const ROWS_MAX = 200_000;
// List, row, value: what v1 might nest below that is not read by anyone.
const FROZEN_DEPTH = 4;

/** Makes an empty cache. A key itself is held only by a fetch under way; entries know its fingerprint alone. */
export function createCatalog(options: CatalogOptions): Catalogs {
  const {
    upstream,
    freshMs = FRESH_MS,
    staleMs = STALE_MS,
    pauseMs = PAUSE_MS,
    fetchTimeoutMs = FETCH_TIMEOUT_MS,
    clock = Date.now,
  } = options;
  const entries = new LRUCache<string, Entry>({
    max: options.entriesMax ?? ENTRIES_MAX,
    maxSize: options.rowsMax ?? ROWS_MAX,
    sizeCalculation: ({ catalog }) => 1 + (catalog === undefined ? 0 : catalog.data_plans.length + catalog.cable_plans.length),
  });
  const fetches = new Map<string, Promise<Catalog | undefined>>();

  function usable(entry: Entry | undefined): Catalog | undefined {
    return entry !== undefined && clock() < entry.staleUntilMs ? entry.catalog : undefined;
  }

  function isFetchDue(entry: Entry | undefined): boolean {
    return entry === undefined || (clock() >= entry.freshUntilMs && clock() >= entry.pausedUntilMs);
  }

  /** One fetch per key at a time; all who ask meanwhile share it. */
  function fetchOnce(context: CallContext): Promise<Catalog | undefined> {
    const { fingerprint } = context.credentials;
    const running = fetches.get(fingerprint);
    if (running !== undefined) return running;
    // Whoever joins later may be more patient than whoever came first, so the fetch has a time limit of its own.
    const fetching = fetchCatalog({ ...context, timeoutMs: fetchTimeoutMs }).finally(() => fetches.delete(fingerprint));
    fetches.set(fingerprint, fetching);
    return fetching;
  }

  async function fetchCatalog(context: CallContext): Promise<Catalog | undefined> {
    const { fingerprint } = context.credentials;
    const finding = await upstream.find({ method: 'GET', path: '/catalog' }, context);
    const now = clock();
    if (finding.kind === 'found') {
      const read = readCatalog(finding.body);
      if (read !== undefined) {
        const catalog = indexed(read, now);
        entries.set(fingerprint, {
          catalog,
          freshUntilMs: now + freshMs,
          staleUntilMs: now + freshMs + staleMs,
          pausedUntilMs: 0,
        });
        return catalog;
      }
    }
    const previous = entries.peek(fingerprint);
    // A key that v1 no longer knows has no prices: its list goes at once. Every other trouble keeps the old one in use.
    const isKeyRefused = finding.kind === 'refused' && (finding.httpStatus === 401 || finding.httpStatus === 403);
    const asked = finding.kind === 'refused' ? (finding.retryAfterSeconds ?? 0) * 1000 : 0;
    const pausedUntilMs = now + Math.max(pauseMs, Math.min(asked, freshMs));
    entries.set(fingerprint, {
      catalog: isKeyRefused ? undefined : previous?.catalog,
      freshUntilMs: 0,
      staleUntilMs: isKeyRefused ? 0 : (previous?.staleUntilMs ?? 0),
      pausedUntilMs,
    });
    return usable(entries.peek(fingerprint));
  }

  return {
    async get(context) {
      const entry = entries.get(context.credentials.fingerprint);
      const catalog = usable(entry);
      if (!isFetchDue(entry)) return catalog;
      const fetching = fetchOnce(context);
      return catalog ?? within(fetching, context.timeoutMs);
    },
    peek: (fingerprint) => usable(entries.get(fingerprint)),
    warm(context) {
      if (isFetchDue(entries.peek(context.credentials.fingerprint))) void fetchOnce(context);
    },
  };
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

function indexed({ data, omitted }: ReadCatalog, fetchedAtMs: number): Catalog {
  const dataPlans = new Map(data.data_plans.map((plan) => [plan.id, plan]));
  const cablePlans = new Map(data.cable_plans.map((plan) => [plan.id, plan]));
  const discos = new Map(data.discos.map((disco) => [disco.disco_id, disco]));
  const catalog: Catalog = {
    ...data,
    fetchedAtMs,
    omitted,
    dataPlan: (id) => dataPlans.get(id),
    cablePlan: (id) => cablePlans.get(id),
    disco: (id) => discos.get(id),
  };
  freeze(catalog, FROZEN_DEPTH);
  return catalog;
}

function freeze(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null || depth === 0) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner, depth - 1);
}
