/** The parts that a gateway is made of, and what it adds to them for its answers. */
import type { PriceLists } from '../price-lists/price-lists';
import type { Clock } from '../domain/clock';
import type { Secret } from '../domain/credentials';
import type { Journal } from '../journal/journal';
import type { Mapping } from '../mapping/mapping';
import { tellVisitors } from '../upstream/tell-visitors';
import type { HttpUpstream } from '../upstream/http-upstream';
import type { Upstream } from '../upstream/upstream';
import type { Visitors } from '../upstream/visitors';
import type { KeyGuard } from './key-guard';
import { createKeyless, type Keyless } from './keyless';
import { createLookupMemory, type LookupMemory } from './lookup-memory';
import { createAdmission, type Admission } from './order/admission';
import { askAgain } from './order/ask-again';
import { createAttemptLimit } from './order/attempt-limit';
import { createLearntPatience, type LearntPatience } from './order/learnt-patience';
import { createPinGuard, type PinGuard, type WrongPin } from './order/pin-guard';
import { takePinTurns } from './order/pin-turns';
import type { PursuitParts } from './order/pursuit';
import { createPursuits, type Pursuits } from './order/pursuits';
import { createReceiptPace } from './order/receipt-pace';
import { createRepeats, type Repeats, type SharedRepeats } from './order/repeats';
import { createReconciler, type Reconciler } from './proof/reconcile';
import { createSteadiness, type Steadiness } from './proof/steadiness';
import type { ParsedRequest } from './read/parsed-request';
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
  readonly clock: Clock;
  readonly random: () => number;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** Steps 2 to 6 are done, and nothing has been written or sent yet. */
  readonly onRead?: (parsed: ParsedRequest, sentId: string | undefined) => void;
  readonly onWrongPin?: (wrong: WrongPin) => void;
  /** Without it no purchase is refused because others wait for their turn at v1. */
  readonly crowdedSeconds?: HttpUpstream['crowdedSeconds'];
  /** Without it wrong keys have no limit. */
  readonly keyGuard?: Pick<KeyGuard, 'enter'>;
  /** What scripts that hung up have shown; learnt anew by each gateway when absent. */
  readonly learntPatience?: LearntPatience;
  /** How many orders may be under way. */
  readonly ordersMax?: number;
  /** Where several processes serve as one; absent, this one is alone. */
  readonly together?: Together | undefined;
}

/** What must be one for all processes that serve as one, so that they cost v1 and its callers no more than one would. */
export interface Together {
  readonly takePinTurns: typeof takePinTurns;
  readonly repeats: SharedRepeats;
}

/** What the answers work with: the parts that came in, and what the gateway keeps between requests. */
export interface WalkParts extends GatewayParts, PursuitParts {
  readonly pursuits: Pursuits;
  readonly pinGuard: PinGuard;
  readonly admission: Admission;
  readonly reconciler: Reconciler;
  readonly steadiness: Steadiness;
  readonly repeats: Repeats;
  readonly keyless: Keyless;
  readonly lookups: LookupMemory;
  readonly learnt: LearntPatience;
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
    steadiness,
    reconciler: createReconciler({ ...parts, upstream: { ...upstream, find }, pursuits, steadiness }),
    repeats: createRepeats({ ...parts, pursuits, sharedRepeats: parts.together?.repeats }),
    attempts: createAttemptLimit(parts.clock),
    receipts: createReceiptPace(parts.clock),
    keyless: createKeyless(parts),
    lookups: createLookupMemory(parts.clock),
    learnt: parts.learntPatience ?? createLearntPatience(),
    isStopping,
  };
}
