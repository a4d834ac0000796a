/** The parts that a gateway is created with, and the parts that it creates itself and keeps between requests. */
import type { PriceLists } from '../price-lists/price-lists';
import { type Clock, createSteadiness, type Steadiness, within } from '../domain/clock';
import type { KeyAndPin, Secret } from '../domain/credentials';
import { createDays } from '../domain/day';
import type { Order } from '../domain/order';
import type { Journal } from '../journal/journal';
import type { Told, ToldStore } from '../journal/told-sales';
import type { Mapping } from '../mapping/mapping';
import { listenToAnswers } from '../upstream/listen-to-answers';
import { tellVisitors, type Visitors } from '../upstream/visitors';
import type { HttpUpstream } from '../upstream/http-upstream';
import type { Upstream } from '../upstream/upstream';
import type { KeyGuard } from './key-guard';
import { createKeyless, createLookupMemory, type Keyless, type LookupMemory, type OtherKeyless } from './keyless';
import { type Admission, createAdmission } from './order/admission';
import { createPursuits, type Pursuits } from './order/pursuits';
import { type CallerLimits, createCallerLimits } from './order/caller-limits';
import { AttemptLimit } from './order/attempt-limit';
import { askAgain, createReceiptPace } from './proof/find-receipt';
import { createLearntPatience, type LearntPatience } from './order/learnt-patience';
import { createPinGuard, type PinGuard, type WrongPin } from './order/pin-guard';
import { takePinTurns } from './order/pin-turns';
import { createUnwrittenTellings, type UnwrittenTellings } from './tell/mark-told';
import type { PursuitParts } from './order/pursuit';
import type { SharedRepeats } from './order/content-turns';
import { createRepeats, type Repeats } from './order/repeats';
import { createWaitForJournal, type WaitForJournal } from './order/wait-for-journal';
import { createReconciler, type Reconciler } from './proof/reconcile';
import { type CatalogLists, catalogListsOf } from './read/catalog-lists';
import type { SetOf } from './read/earlier-set';
import { type ParsedRequest, readContextOf, type Reader } from './read/walk-in';
import type { Keyring } from './read/keyring';

export interface GatewayParts {
  /** The running mapping; a request keeps the one it began with. */
  readonly mapping: () => Mapping;
  /** Earlier mappings, for orders whose operation, format or family the running one no longer has. */
  readonly setOf?: SetOf | undefined;
  readonly journal: Journal;
  readonly upstream: Upstream;
  readonly priceLists: PriceLists;
  /** v1's verdicts about keys at addresses. They decide who is told about orders, and who is shown price lists. */
  readonly visitors: Visitors;
  readonly keyring: Keyring;
  /** The operator's key for verify calls that bring none: `<API_KEY>` or `<API_KEY>:<PIN>`. */
  readonly lookupKey: Secret | undefined;
  /** The sandbox key for keys that callers.yaml sends to the sandbox. Absent where v1 itself is the sandbox, which has these keys. */
  readonly sandboxKey?: KeyAndPin | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** Called after steps 2 to 6, before anything is written or sent. */
  readonly onRead?: (parsed: ParsedRequest, sentId: string | undefined) => void;
  /** Called when a success or "pending" was told and the whole reply has left. The journal does not record this. */
  readonly onTold?: (order: Order, told: Told) => void;
  /** The sales that all processes have told; undefined while no other process sells from the same journal. */
  readonly toldSales?: (() => ToldStore | undefined) | undefined;
  /** See `LookParts`. */
  readonly unmarkedMs?: (() => number) | undefined;
  /** See `ReadParts`. */
  readonly haveAllSigned?: ((sinceMs: number) => boolean) | undefined;
  readonly onWrongPin?: (wrong: WrongPin) => void;
  /** Without it no purchase is refused because others wait for their turn at v1. */
  readonly crowdedSeconds?: HttpUpstream['crowdedSeconds'];
  /** Without it wrong keys have no limit. */
  readonly keyGuard?: Pick<KeyGuard, 'enter'>;
  /** How long scripts wait, learnt before; without it the gateway begins to learn anew. */
  readonly learntPatience?: LearntPatience;
  /** The time zone of the midnight at which daily limits begin anew; West Africa Time unless given. */
  readonly timeZone?: string;
  /** How many days the journal keeps an order that has ended; for ever unless given. */
  readonly journalDays?: number;
  /** How many orders may be under way. */
  readonly ordersMax?: number;
  /** The parts that are shared, where several processes serve as one. */
  readonly shared?: SharedParts | undefined;
}

/** What all processes that serve as one share, so that they burden v1 and callers no more than one process would. */
export interface SharedParts {
  readonly takePinTurns: typeof takePinTurns;
  readonly repeats: SharedRepeats;
  readonly keyless: OtherKeyless;
  /** How many processes there are: limits per key are divided among them. */
  readonly processes: number;
}

/** The parts that the `answer-*` files use. */
export interface WalkParts extends GatewayParts, PursuitParts {
  readonly pursuits: Pursuits;
  readonly pinGuard: PinGuard;
  readonly admission: Admission;
  readonly limits: CallerLimits;
  readonly reconciler: Reconciler;
  readonly steadiness: Steadiness;
  readonly repeats: Repeats;
  readonly unwrittenTellings: UnwrittenTellings;
  readonly keyless: Keyless;
  readonly lookups: LookupMemory;
  readonly learnt: LearntPatience;
  readonly waitForJournal: WaitForJournal;
}

function keptCatalog({ priceLists, mapping }: GatewayParts): (owner: string) => CatalogLists | undefined {
  return (owner) => catalogListsOf(priceLists.peek(owner), mapping());
}

/**
 * v1 with the wrappers that selling needs, from the inside to the outside. The others are around it already (`src/wrappers.ts`): the visitors and
 * price lists get v1 with those alone.
 */
function wrapForSales({ upstream: v1, visitors, clock, shared, onTrouble }: GatewayParts, pinGuard: PinGuard): Upstream {
  const heard = listenToAnswers(v1, [tellVisitors(visitors)], { clock, onTrouble: (error) => onTrouble('visitors', error) });
  const takeTurns = shared?.takePinTurns ?? takePinTurns;
  return { send: takeTurns(heard, pinGuard, clock), find: askAgain(heard, clock), close: () => heard.close() };
}

export function createWalkParts(parts: GatewayParts, isStopping: () => boolean): WalkParts {
  const pinGuard = createPinGuard(parts.clock, parts.keyring, parts.onWrongPin);
  const upstream = wrapForSales(parts, pinGuard);
  const pursuits = createPursuits(parts.clock);
  const steadiness = createSteadiness(parts.clock);
  const repeats = createRepeats({ ...parts, pursuits, steadiness, sharedRepeats: parts.shared?.repeats });
  return {
    ...parts,
    onTold(order, told) {
      repeats.noteTold(order, told, parts.mapping().repeatMs);
      parts.onTold?.(order, told);
    },
    upstream,
    pursuits,
    pinGuard,
    admission: createAdmission({ pursuits, ordersMax: parts.ordersMax ?? Infinity, crowdedSeconds: parts.crowdedSeconds }),
    limits: createCallerLimits({ ...parts, dayOf: createDays(parts.timeZone), catalogOf: keptCatalog(parts) }),
    steadiness,
    reconciler: createReconciler({ ...parts, upstream, pursuits, steadiness }),
    repeats,
    unwrittenTellings: createUnwrittenTellings(),
    attempts: new AttemptLimit(parts.clock),
    receipts: createReceiptPace(parts.clock, parts.shared?.processes),
    keyless: createKeyless({ ...parts, others: parts.shared?.keyless }),
    lookups: createLookupMemory(parts.clock),
    learnt: parts.learntPatience ?? createLearntPatience([], undefined, parts.clock),
    isStopping,
    waitForJournal: createWaitForJournal(parts.clock, isStopping),
  };
}

/** How long the reply of a finished order waits for a price list that is being fetched: it has the plan names. */
const CATALOG_GRACE_MS = 250;

/** The price list for the reply about an order, fetched where it is not in memory. */
export async function catalogFor(reader: Reader, { priceLists, clock }: WalkParts): Promise<CatalogLists | undefined> {
  const { fingerprint } = reader.credentials;
  const fetching = priceLists.peek(fingerprint) === undefined ? priceLists.warm(readContextOf(reader)) : undefined;
  if (fetching !== undefined) await within(clock, CATALOG_GRACE_MS, fetching);
  return catalogListsOf(priceLists.peek(fingerprint), reader.mapping);
}
