/** What the console shows of callers: those in callers.yaml, and keys that were seen lately without an entry there. */
import type { AmountMinor } from '../../domain/amount';
import { within } from '../../domain/clock';
import { createDays } from '../../domain/day';
import type { SeenShape, Traffic } from '../../domain/traffic';
import { type CallerUsage, createCallerUsage, type Usage } from '../../gateway/order/caller-usage';
import { callerName } from '../../mapping/caller-name';
import { plainCallerKey } from '../../mapping/compile-callers';
import type { CallerKey, Mapping } from '../../mapping/mapping';
import { findFamilies } from '../../operator/drift/find-drift';
import { findUnknownFields } from '../../operator/drift/find-unknown-fields';
import type { ConsoleParts } from '../console-parts';

export type CallerView = Awaited<ReturnType<ReturnType<typeof createCallersReader>['list']>>['callers'][number];

/** What a change of the mapping or of callers.yaml could improve for this caller. */
export type CallerDrift = ReturnType<typeof driftOf>;

/** How long a page waits for the count of today's sales. Counting continues in the background. */
const COUNT_MS = 250;
/** The most keys of callers.yaml that are shown, and the most without an entry there: no sale goes on while a page is written. */
const SHOWN_MAX = 300;
const NO_TRAFFIC: Traffic = { sinceMs: 0, shapes: [], unlistedWords: [], unknownAddresses: [], usedWords: [], forgotten: 0 };

interface Counted {
  readonly used: ReadonlyMap<string, Usage>;
  readonly learnt: ReturnType<ConsoleParts['learnt']>;
}

export function createCallersReader(parts: ConsoleParts) {
  const mapping = (): Mapping => parts.live.current();
  let usage: CallerUsage | undefined;
  const count = async (owner: string): Promise<Usage> => {
    const journal = await parts.journal();
    const { clock, facts, onTrouble } = parts;
    usage ??= createCallerUsage({
      ...{ journal, mapping, clock, onTrouble },
      ...{ setOf: parts.live.history.mappingOf, dayOf: createDays(facts.timeZone) },
    });
    return usage.read(owner);
  };
  /**
   * Counts caller by caller, as far as the time allows: a page with hundreds of callers reads a whole day of orders. Sales get
   * their turn between two callers.
   */
  const countAll = async (owners: readonly string[]): Promise<ReadonlyMap<string, Usage>> => {
    const counted = new Map<string, Usage>();
    const all = async (): Promise<void> => {
      for (const owner of owners) {
        counted.set(owner, await count(owner));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const counting = all().catch((error: unknown) => parts.onTrouble('console_callers', error));
    await within(parts.clock, COUNT_MS, counting);
    return new Map(counted);
  };
  const readTraffic = async (): Promise<Traffic> => (await parts.traffic?.read()) ?? NO_TRAFFIC;
  const view = (fingerprint: string, seen: readonly SeenShape[], { used, learnt }: Counted) => ({
    ...summaryOf(seen),
    fingerprint,
    name: callerName(mapping(), fingerprint),
    // Its entry in callers.yaml, or the defaults for keys without one.
    key: mapping().callerKeys.get(fingerprint) ?? plainCallerKey(fingerprint),
    isListed: mapping().callerKeys.has(fingerprint),
    learnt: learnt.flatMap(({ fingerprint: of, kind, limitMs }) =>
      of === fingerprint && limitMs !== undefined ? [{ kind, limitMs }] : [],
    ),
    wallet: parts.wallets.lastSeen(fingerprint),
    // Undefined while it is still being counted, or if the journal cannot be read.
    usage: used.get(fingerprint),
  });

  return {
    /** Callers of callers.yaml first, then the others, those seen last before the rest. `further` ones of callers.yaml are not shown. */
    async list() {
      const byCaller = groupByCaller(await readTraffic());
      const seenLast = (fingerprints: string[]): string[] => {
        const at = new Map(fingerprints.map((fingerprint) => [fingerprint, lastSeen(byCaller.get(fingerprint) ?? [])]));
        return fingerprints.sort((a, b) => at.get(b)! - at.get(a)!).slice(0, SHOWN_MAX);
      };
      const listed = listedIn(mapping(), byCaller);
      const further = Math.max(0, listed.length - SHOWN_MAX);
      const strangers = [...byCaller.keys()].filter((fingerprint) => !mapping().callerKeys.has(fingerprint));
      const shown = [...(further > 0 ? seenLast(listed) : listed), ...seenLast(strangers)];
      const counted = { used: await countAll(shown), learnt: parts.learnt() };
      return { further, callers: shown.map((fingerprint) => view(fingerprint, byCaller.get(fingerprint) ?? [], counted)) };
    },
    async find(fingerprint: string) {
      const traffic = await readTraffic();
      const seen = groupByCaller(traffic).get(fingerprint) ?? [];
      if (seen.length === 0 && !mapping().callerKeys.has(fingerprint)) return undefined;
      const caller = view(fingerprint, seen, { used: await countAll([fingerprint]), learnt: parts.learnt() });
      return { caller, drift: driftOf({ ...NO_TRAFFIC, sinceMs: traffic.sinceMs, shapes: seen }, mapping()) };
    },
  };
}

/** The keys of callers.yaml, by title. The sandbox side of a key is included only if it has had requests or the key is in the sandbox now. */
function listedIn({ callerKeys }: Mapping, byCaller: ReadonlyMap<string, readonly SeenShape[]>): string[] {
  const isShown = ({ sandboxOf, fingerprint, isSandboxed }: CallerKey): boolean =>
    sandboxOf === undefined || isSandboxed || byCaller.has(fingerprint);
  return [...callerKeys.values()]
    .filter(isShown)
    .sort(
      (a, b) =>
        (a.title ?? '~').localeCompare(b.title ?? '~') || Number(a.sandboxOf !== undefined) - Number(b.sandboxOf !== undefined),
    )
    .map(({ fingerprint }) => fingerprint);
}

function groupByCaller({ shapes }: Traffic): Map<string, SeenShape[]> {
  const byCaller = new Map<string, SeenShape[]>();
  for (const seen of shapes) {
    if (seen.caller === undefined) continue;
    const own = byCaller.get(seen.caller);
    if (own === undefined) byCaller.set(seen.caller, [seen]);
    else own.push(seen);
  }
  return byCaller;
}

const lastSeen = (seen: readonly SeenShape[]): number => seen.reduce((last, { lastSeenMs }) => Math.max(last, lastSeenMs), 0);

/** `lastSeenMs` is undefined if no request is remembered; `refusals` are counted by code. */
function summaryOf(seen: readonly SeenShape[]) {
  const refusals = new Map<string, number>();
  const families = new Map<string, number>();
  for (const { family, count, refusals: own } of seen) {
    if (family !== undefined) families.set(family, (families.get(family) ?? 0) + count);
    for (const [code, times] of Object.entries(own)) refusals.set(code, (refusals.get(code) ?? 0) + times);
  }
  return {
    lastSeenMs: seen.length === 0 ? undefined : lastSeen(seen),
    requests: seen.reduce((sum, { count }) => sum + count, 0),
    refusals: Object.fromEntries([...refusals].sort(([, a], [, b]) => b - a)),
    formats: [...new Set(seen.flatMap(({ format }) => format ?? []))].sort(),
    families: [...families].map(([id, proven]) => ({ id, proven })),
  };
}

function driftOf(traffic: Traffic, mapping: Mapping) {
  const unknownFields = findUnknownFields(traffic, mapping).map(({ operation, name, count }) => ({ operation, name, count }));
  return { unknownFields, family: findFamilies(traffic, mapping)[0] };
}

/** What the caller has used of its limit per day; undefined without a limit, or before the count is known. */
export function partOfDay({ key, usage }: CallerView): { readonly used: AmountMinor; readonly most: AmountMinor } | undefined {
  const most = key.limit?.nairaPerDay;
  return most === undefined || usage === undefined ? undefined : { used: usage.today.amount, most };
}
