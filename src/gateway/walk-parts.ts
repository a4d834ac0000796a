/** The parts that a gateway is made of, and what it adds to them for its answers. */
import type { PriceLists } from '../price-lists/price-lists';
import { type Clock, createSteadiness, type Steadiness } from '../domain/clock';
import type { KeyAndPin, Secret } from '../domain/credentials';
import { createDays } from '../domain/day';
import type { Order } from '../domain/order';
import type { Journal } from '../journal/journal';
import type { ToldStore } from '../journal/told-sales';
import type { Mapping } from '../mapping/mapping';
import { tellVisitors, type Visitors } from '../upstream/visitors';
import type { HttpUpstream } from '../upstream/http-upstream';
import type { Upstream } from '../upstream/upstream';
import type { KeyGuard } from './key-guard';
import { createKeyless, createLookupMemory, type Keyless, type LookupMemory, type OtherKeyless } from './keyless';
import { type Admission, createAdmission, createPursuits, type Pursuits } from './order/pursuits';
import { type CallerLimits, createCallerLimits } from './order/caller-limits';
import { askAgain } from './proof/find-receipt';
import { createAttemptLimit, createReceiptPace } from './order/attempt-limit';
import { createLearntPatience, type LearntPatience } from './order/learnt-patience';
import { createPinGuard, type PinGuard, takePinTurns, type WrongPin } from './order/pin-guard';
import type { PursuitParts } from './order/pursuit';
import { createRepeats, type Repeats, type SharedRepeats } from './order/repeats';
import { createReconciler, type Reconciler } from './proof/reconcile';
import { type CatalogLists, catalogListsOf } from './read/catalog-lists';
import type { ParsedRequest } from './read/walk-in';
import type { Keyring } from './read/keyring';

export interface GatewayParts {
  /** The running mapping; a request keeps the one it began with. */
  readonly mapping: () => Mapping;
  readonly journal: Journal;
  readonly upstream: Upstream;
  readonly priceLists: PriceLists;
  /** What v1 has said of keys at addresses: the journal answers by it, and the price lists are shown by the same. */
  readonly visitors: Visitors;
  readonly keyring: Keyring;
  /** The operator's key for verify calls that bring none: `<API_KEY>` or `<API_KEY>:<PIN>`. */
  readonly lookupKey: Secret | undefined;
  /** What a key that callers.yaml sends to the sandbox is there; absent where v1 is the sandbox, and each has its own. */
  readonly sandboxKey?: KeyAndPin | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** Steps 2 to 6 are done, and nothing has been written or sent yet. */
  readonly onRead?: (parsed: ParsedRequest, sentId: string | undefined) => void;
  /** A sale was told, and the whole reply has left; the journal has no word of that. */
  readonly onTold?: (order: Order) => void;
  /** What all processes have told, where several sell from one journal. */
  readonly told?: ToldStore | undefined;
  readonly onWrongPin?: (wrong: WrongPin) => void;
  /** Without it no purchase is refused because others wait for their turn at v1. */
  readonly crowdedSeconds?: HttpUpstream['crowdedSeconds'];
  /** Without it wrong keys have no limit. */
  readonly keyGuard?: Pick<KeyGuard, 'enter'>;
  /** What scripts that hung up have shown; learnt anew by each gateway when absent. */
  readonly learntPatience?: LearntPatience;
  /** Where the limits of a day begin anew at midnight; West Africa Time unless given. */
  readonly timeZone?: string;
  /** How many orders may be under way. */
  readonly ordersMax?: number;
  /** Where several processes serve as one; absent, this one is alone. */
  readonly together?: Together | undefined;
}

/** What must be one for all processes that serve as one, so that they cost v1 and its callers no more than one would. */
export interface Together {
  readonly takePinTurns: typeof takePinTurns;
  readonly repeats: SharedRepeats;
  readonly keyless: OtherKeyless;
  /** How many they are: what is bounded for each key is divided among them. */
  readonly processes: number;
}

/** What the answers work with: the parts that came in, and what the gateway keeps between requests. */
export interface WalkParts extends GatewayParts, PursuitParts {
  readonly pursuits: Pursuits;
  readonly pinGuard: PinGuard;
  readonly admission: Admission;
  readonly limits: CallerLimits;
  readonly reconciler: Reconciler;
  readonly steadiness: Steadiness;
  readonly repeats: Repeats;
  readonly keyless: Keyless;
  readonly lookups: LookupMemory;
  readonly learnt: LearntPatience;
}

function keptCatalog({ priceLists, mapping }: GatewayParts): (owner: string) => CatalogLists | undefined {
  return (owner) => {
    const catalog = priceLists.peek(owner);
    return catalog === undefined ? undefined : catalogListsOf(catalog, mapping());
  };
}

export function createWalkParts(parts: GatewayParts, isStopping: () => boolean): WalkParts {
  const upstream = tellVisitors(parts.upstream, parts.visitors);
  const find = askAgain(upstream, parts.clock);
  const pursuits = createPursuits();
  const pinGuard = createPinGuard(parts.clock, parts.keyring, parts.onWrongPin);
  const steadiness = createSteadiness(parts.clock);
  const takeTurns = parts.together?.takePinTurns ?? takePinTurns;
  return {
    ...parts,
    upstream: { send: takeTurns(upstream, pinGuard, parts.clock), find, close: () => upstream.close() },
    pursuits,
    pinGuard,
    admission: createAdmission({ pursuits, ordersMax: parts.ordersMax ?? Infinity, crowdedSeconds: parts.crowdedSeconds }),
    limits: createCallerLimits({ ...parts, dayOf: createDays(parts.timeZone), catalogOf: keptCatalog(parts) }),
    steadiness,
    reconciler: createReconciler({ ...parts, upstream: { ...upstream, find }, pursuits, steadiness }),
    repeats: createRepeats({ ...parts, pursuits, sharedRepeats: parts.together?.repeats }),
    attempts: createAttemptLimit(parts.clock),
    receipts: createReceiptPace(parts.clock, parts.together?.processes),
    keyless: createKeyless({ ...parts, others: parts.together?.keyless }),
    lookups: createLookupMemory(parts.clock),
    learnt: parts.learntPatience ?? createLearntPatience([], undefined, parts.clock),
    isStopping,
  };
}
