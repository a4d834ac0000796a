/**
 * Keeps guessed keys from v1: a network (an address, of IPv6 its /64) has some tries with keys that v1 refuses, and then one
 * every few seconds. A key that v1 has accepted is neither held up nor counted, whoever else sends wrong ones from its address: accepted
 * since the start, or before it, when the journal has an order of the key with a reference of v1 (decision 0034).
 */
import { LRUCache } from 'lru-cache';
import { within, type Clock } from '../domain/clock';
import { GatewayError } from '../domain/errors';
import { networkOf } from '../domain/network-of';
import type { Outcome, OutcomeKind } from '../domain/outcome';
import type { Journal } from '../journal/journal';
import type { CallContext, Finding, Upstream } from '../upstream/upstream';
import { createSignal, type Signal } from './order/create-signal';
import { waitText } from './tell/tell-wait';

export interface KeyGuard {
  /** Before v1 is asked with this key. Waits a moment while many others are judged; throws the refusal of one wrong key too many. */
  enter(visit: Visit): Promise<void>;
  /** The same upstream; what it answers to each key is taken note of. */
  hear(upstream: Upstream): Upstream;
}

export type Visit = Pick<CallContext, 'credentials' | 'clientAddress'>;

const TRIES_MAX = 20;
const TRY_EVERY_MS = 5_000;
/**
 * How many tries must be left: a key that v1 has refused leaves half of them to others, so that an old script in a loop uses up
 * no more; a new key leaves the last one to a key that comes again after it was turned away.
 */
const NEEDED = { wrong: TRIES_MAX / 2, fresh: 2, returning: 1 };
/** A key without an answer for so long is no longer counted as being judged, and nobody waits longer for another key's answer. */
const JUDGED_WITHIN_MS = 2_000;
/** No call to v1 lasts longer: whose verdict has not come by then is forgotten. */
const VERDICT_WITHIN_MS = 120_000;
const NETWORKS_MAX = 10_000;
const KEYS_MAX = 10_000;
/** Section 7: a key that is wrong or revoked, or of a suspended account. */
const WRONG_KEY = 401;
const ACCEPTING: ReadonlySet<OutcomeKind> = new Set(['succeeded', 'pending', 'declined']);

type Verdict = 'accepted' | 'wrong' | 'none';

export interface KeyGuardParts {
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'hasReference'>;
}

export function createKeyGuard({ clock, journal }: KeyGuardParts): KeyGuard {
  const networks = new LRUCache<string, Network>({ max: NETWORKS_MAX });
  const accepted = new LRUCache<string, true>({ max: KEYS_MAX });
  /** Of keys that are not new here. */
  const standings = new LRUCache<string, 'wrong' | 'returning'>({ max: KEYS_MAX });

  const networkAt = (address: string): Network => {
    const name = networkOf(address);
    const network = networks.get(name) ?? new Network(clock);
    networks.set(name, network);
    return network;
  };
  const neededFor = (fingerprint: string): number => NEEDED[standings.get(fingerprint) ?? 'fresh'];

  const isInJournal = async (fingerprint: string): Promise<boolean> => {
    const isKnown = await journal.hasReference(fingerprint).catch(() => false);
    if (isKnown) accepted.set(fingerprint, true);
    return isKnown;
  };

  const turnAway = (fingerprint: string, network: Network): GatewayError => {
    if (!standings.has(fingerprint)) standings.set(fingerprint, 'returning');
    return tooMany((neededFor(fingerprint) - network.triesLeft()) * TRY_EVERY_MS);
  };

  const note = ({ credentials: { fingerprint, isLookupKey }, clientAddress }: Visit, verdict: Verdict): void => {
    // The operator's own key, or that of a shop: whoever uses it has not sent it.
    if (isLookupKey === true) return;
    if (verdict === 'accepted') accepted.set(fingerprint, true);
    const isWrong = verdict === 'wrong' && !accepted.has(fingerprint);
    if (isWrong) standings.set(fingerprint, 'wrong');
    const network = isWrong ? networkAt(clientAddress) : networks.get(networkOf(clientAddress));
    network?.judged(fingerprint, isWrong);
  };

  return {
    async enter({ credentials: { fingerprint, isLookupKey }, clientAddress }) {
      if (isLookupKey === true || accepted.has(fingerprint)) return;
      const network = networkAt(clientAddress);
      const hasRoom = (): boolean => network.triesLeft() - network.underWay() >= neededFor(fingerprint);
      if (!hasRoom() && (await isInJournal(fingerprint))) return;
      const untilMs = clock.elapsed() + JUDGED_WITHIN_MS;
      while (!hasRoom()) {
        const waitMs = untilMs - clock.elapsed();
        if (network.triesLeft() < neededFor(fingerprint)) throw turnAway(fingerprint, network);
        if (waitMs <= 0) {
          // v1 is slow, and has called no key of this network wrong: a crowd of new shops.
          if (network.triesLeft() === TRIES_MAX) break;
          throw turnAway(fingerprint, network);
        }
        await within(clock, waitMs, network.changed.next());
        if (accepted.has(fingerprint)) return;
      }
      network.begin(fingerprint);
    },
    hear: (upstream) => ({
      async send(call, requestId, context) {
        const sent = await upstream.send(call, requestId, context);
        note(context, verdictOfOutcome(sent.outcome));
        return sent;
      },
      async find(call, context) {
        const finding = await upstream.find(call, context);
        note(context, verdictOfFinding(finding));
        return finding;
      },
      close: () => upstream.close(),
    }),
  };
}

class Network {
  readonly changed: Signal = createSignal();
  readonly #clock: Clock;
  /** As of `#atMs`. */
  #tries = TRIES_MAX;
  #atMs: number;
  /** Requests on their way to v1, and until when they count. */
  #judging: { readonly fingerprint: string; readonly untilMs: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#atMs = clock.elapsed();
  }

  triesLeft(): number {
    const now = this.#clock.elapsed();
    this.#tries = Math.min(TRIES_MAX, this.#tries + (now - this.#atMs) / TRY_EVERY_MS);
    this.#atMs = now;
    return this.#tries;
  }

  underWay(): number {
    const now = this.#clock.elapsed();
    this.#judging = this.#judging.filter(({ untilMs }) => untilMs + VERDICT_WITHIN_MS > now);
    return this.#judging.filter(({ untilMs }) => untilMs > now).length;
  }

  begin(fingerprint: string): void {
    this.#judging.push({ fingerprint, untilMs: this.#clock.elapsed() + JUDGED_WITHIN_MS });
  }

  judged(fingerprint: string, isWrong: boolean): void {
    const at = this.#judging.findIndex((one) => one.fingerprint === fingerprint);
    // A request may ask v1 twice: it is one attempt.
    if (at >= 0) this.#judging.splice(at, 1);
    if (at >= 0 && isWrong) this.#tries = Math.max(0, this.triesLeft() - 1);
    this.changed.emit();
  }
}

function tooMany(waitMs: number): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new GatewayError(
    'too_many_wrong_keys',
    `Too many wrong API keys came from your address, so that this one was not checked. Nothing was sent and nothing was charged. Try again in ${waitText(retryAfterSeconds)}.`,
    { retryAfterSeconds },
  );
}

function verdictOfOutcome(outcome: Outcome): Verdict {
  if (outcome.kind === 'rejected') return outcome.httpStatus === WRONG_KEY ? 'wrong' : 'none';
  return ACCEPTING.has(outcome.kind) ? 'accepted' : 'none';
}

function verdictOfFinding(finding: Finding): Verdict {
  if (finding.kind === 'refused') return finding.httpStatus === WRONG_KEY ? 'wrong' : 'none';
  return finding.kind === 'found' ? 'accepted' : 'none';
}
