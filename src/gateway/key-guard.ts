/**
 * Keeps guessed keys from v1. A network (an address; for IPv6 its /64) has some tries with keys that v1 refuses, and then one more
 * every few seconds. A key that v1 has accepted is neither delayed nor counted, even if others send wrong keys from its network. v1 has
 * accepted a key if it did so since the start, or if the journal has an order of the key with a reference of v1 (decision 0034).
 */
import { createLru } from '../domain/lru';
import { type Clock, CommonSignal } from '../domain/clock';
import { GatewayError } from '../domain/errors';
import { networkOf } from '../domain/network-of';
import { isAtV1, type Outcome } from '../domain/outcome';
import type { Journal } from '../journal/journal';
import type { AnswerListener } from '../upstream/listen-to-answers';
import type { Finding } from '../upstream/upstream';
import type { Visit } from '../upstream/visitors';
import { waitText } from './tell/refuse';

export interface KeyGuard {
  /**
   * Call it before v1 is asked with this key. The promise waits a moment while v1 judges many other keys, and rejects with a GatewayError
   * if the network has sent too many wrong keys. Undefined: v1 has accepted the key, so there is nothing to wait for.
   */
  enter(visit: Visit): Promise<void> | undefined;
  /** Learns from v1's answers which keys v1 accepts. */
  readonly listener: AnswerListener;
  /** Learns v1's verdict about a key. */
  note(visit: Visit, verdict: KeyVerdict): void;
}

const TRIES_MAX = 20;
const TRY_EVERY_MS = 5_000;
/**
 * How many tries must be left for a key. A key that v1 has refused leaves half of the tries to others, so that an old script in a loop
 * cannot use up all. A new key leaves the last try to a key that returns after it was refused here.
 */
const NEEDED = { wrong: TRIES_MAX / 2, fresh: 2, returning: 1 };
/** How long a key without v1's answer counts as being judged, and how long a key waits for the verdicts about others. */
const JUDGED_WITHIN_MS = 2_000;
/** No call to v1 lasts longer than this: a verdict that comes later is not counted. */
const VERDICT_WITHIN_MS = 120_000;
const NETWORKS_MAX = 10_000;
const KEYS_MAX = 10_000;
/** Section 7: a key that is wrong or revoked, or of a suspended account. */
const WRONG_KEY = 401;

export type KeyVerdict = 'accepted' | 'wrong' | 'none';

interface KeyGuardParts {
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'hasReference'>;
}

export function createKeyGuard({ clock, journal }: KeyGuardParts): KeyGuard {
  const networks = createLru<string, Network>(NETWORKS_MAX);
  const accepted = createLru<string, true>(KEYS_MAX);
  /** By fingerprint: keys that v1 refused, or that were refused here and may return. Other keys are new. */
  const standings = createLru<string, 'wrong' | 'returning'>(KEYS_MAX);

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

  const note = ({ credentials: { fingerprint, isLookupKey }, clientAddress }: Visit, verdict: KeyVerdict): void => {
    // A lookup key was not sent by the script, so the verdict must not count for the script's network.
    if (isLookupKey === true) return;
    if (verdict === 'accepted') accepted.set(fingerprint, true);
    const isWrong = verdict === 'wrong' && !accepted.has(fingerprint);
    if (isWrong) standings.set(fingerprint, 'wrong');
    const network = isWrong ? networkAt(clientAddress) : networks.get(networkOf(clientAddress));
    network?.judged(fingerprint, isWrong);
  };

  /** Waits or throws for a key that v1 has not accepted yet. */
  async function enterUnknown(fingerprint: string, clientAddress: string): Promise<void> {
    const network = networkAt(clientAddress);
    const hasRoom = (): boolean => network.triesLeft() - network.underWay() >= neededFor(fingerprint);
    if (!hasRoom() && (await isInJournal(fingerprint))) return;
    const untilMs = clock.elapsed() + JUDGED_WITHIN_MS;
    while (!hasRoom()) {
      const waitMs = untilMs - clock.elapsed();
      if (network.triesLeft() < neededFor(fingerprint)) throw turnAway(fingerprint, network);
      if (waitMs <= 0) {
        // v1 is slow and has called no key of this network wrong: many new shops have come at once, so the key is let through.
        if (network.triesLeft() === TRIES_MAX) break;
        throw turnAway(fingerprint, network);
      }
      await network.changed.within(waitMs);
      if (accepted.has(fingerprint)) return;
    }
    network.begin(fingerprint);
  }

  return {
    enter: ({ credentials: { fingerprint, isLookupKey }, clientAddress }) =>
      isLookupKey === true || accepted.has(fingerprint) ? undefined : enterUnknown(fingerprint, clientAddress),
    listener: noteVerdicts(note),
    note,
  };
}

/** A listener of v1's answers that calls `note` with v1's verdict about each key. */
export function noteVerdicts(note: KeyGuard['note']): AnswerListener {
  return {
    sent: ({ outcome }, _requestId, { context }) => note(context, verdictOfOutcome(outcome)),
    found: (finding, { context }) => note(context, verdictOfFinding(finding)),
  };
}

class Network {
  readonly changed: CommonSignal;
  readonly #clock: Clock;
  /** How many tries were left at `#atMs`. */
  #tries = TRIES_MAX;
  #atMs: number;
  /** Requests on their way to v1, and until when they count as being judged. */
  #judging: { readonly fingerprint: string; readonly untilMs: number }[] = [];

  constructor(clock: Clock) {
    this.changed = new CommonSignal(clock);
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
    // A request may call v1 twice. It counts as one try.
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

function verdictOfOutcome(outcome: Outcome): KeyVerdict {
  if (outcome.kind === 'rejected') return outcome.httpStatus === WRONG_KEY ? 'wrong' : 'none';
  return isAtV1(outcome) ? 'accepted' : 'none';
}

function verdictOfFinding(finding: Finding): KeyVerdict {
  if (finding.kind === 'refused') return finding.httpStatus === WRONG_KEY ? 'wrong' : 'none';
  return finding.kind === 'found' ? 'accepted' : 'none';
}
