/**
 * Chooses the key for lookups of scripts that send none (many scripts of format A): the key that sold from this address last, else
 * the operator's key. In memory and bounded. Only keys are kept, no PINs: a lookup is free, and shows only the customer's name.
 *
 * v1 limits the lookups of a key. So lookups with the operator's key are counted: its owner's share is kept free, and no network of
 * callers may use so many that others get none.
 */
import { LRUCache } from 'lru-cache';
import { createLru } from '../domain/lru';
import type { Clock } from '../domain/clock';
import { type Credentials, Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import { networkOf } from '../domain/network-of';
import { LOOKUPS_MAX } from '../mapping/language/callers';
import type { LookupLimits } from '../mapping/mapping';
import type { Finding } from '../upstream/upstream';
import { authenticate } from './read/authenticate';
import type { Keyring } from './read/keyring';
import { waitText } from './tell/refuse';
import type { JsonObject } from '../domain/json';

export interface Keyless {
  /** Remembers that this key has sold something from this address. */
  sold(credentials: Credentials, address: string): void;
  /** The key for lookups from this address; undefined when there is none. Counts nothing. */
  keyFor(address: string, limits: LookupLimits): Credentials | undefined;
  /** Counts one more lookup and returns the key for it. Throws a GatewayError when there were too many without a key of their own. */
  take(credentials: Credentials, address: string, limits: LookupLimits): Credentials;
  /** The operator's key, after v1 refused a seller's key. Throws a GatewayError when v1 accepts no more lookups with the operator's key. */
  keyAfter(asked: Credentials, finding: Finding, address: string, limits: LookupLimits): Credentials | undefined;
}

export interface KeylessParts {
  readonly lookupKey: Secret | undefined;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** Where several processes serve as one. */
  readonly others?: OtherKeyless | undefined;
}

/** The exchange of `KeylessNews` between processes that serve as one. */
export interface OtherKeyless {
  tell(news: KeylessNews): void;
  onNews(hear: (news: KeylessNews) => void): void;
}

export type KeylessNews =
  /** One lookup under this name of `LookupCounts`. */
  | { readonly kind: 'counted'; readonly name: string }
  | { readonly kind: 'paused'; readonly fingerprint: string; readonly pauseMs: number }
  | SoldNews;

/** Contains the key itself, without its PIN. It stays in memory, and passes only between processes of one gateway. */
interface SoldNews {
  readonly kind: 'sold';
  readonly address: string;
  readonly fingerprint: string;
  readonly apiKey: string;
}

interface Sale {
  readonly credentials: Credentials;
  readonly atMs: number;
  /** When the other processes were last told of this sale. */
  readonly sharedAtMs: number;
}

const ADDRESSES_MAX = 5_000;
/** v1's statuses for a key that is wrong, not allowed from this address, or used too often. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);
const TOO_OFTEN = 429;
/** A network gets one more lookup while the lookups left would give this many others as many as it has had. */
const OTHER_STRANGERS = 3;
const OTHER_SELLERS = 1;
/** How often the other processes are told that a shop goes on selling, so that not every sale costs a message. */
const SHARE_EVERY_MS = 600_000;

export function createKeyless({ lookupKey, keyring, clock, others }: KeylessParts): Keyless {
  const sellers = new Sellers(clock, others);
  const counted = createLookupCounts(clock);
  const counts = countForAll(counted, others);
  const operator = new OperatorsKey(
    () => (lookupKey === undefined ? undefined : authenticate({ token: lookupKey.revealForUseOnly() }, keyring)?.credentials),
    counts,
    clock,
  );
  others?.onNews((news) => {
    if (news.kind === 'counted') counted.add(news.name);
    else if (news.kind === 'paused') operator.pause(news, news.pauseMs);
    else sellers.applySale(news);
  });

  /** Counts one lookup with the key that sold from this address; when its limit is reached, with the operator's key. */
  function takeSellers(credentials: Credentials, address: string, limits: LookupLimits): Credentials {
    const { calls, windowMs } = limits.seller ?? { calls: 0, windowMs: 0 };
    // The limit is per key, not per address: v1 counts the lookups of a key, and its owner needs some as well.
    const name = `${credentials.fingerprint} seller`;
    const { count, roomInMs } = counts.within(name, windowMs);
    if (count < calls) {
      counts.add(name);
      operator.countOwn(credentials);
      return credentials;
    }
    const other = operator.take(address, limits, true);
    if (other === undefined) throw tooMany('without an API key from your address', roomInMs);
    return other;
  }

  return {
    sold: (credentials, address) => sellers.sold(credentials, address),
    keyFor: (address, limits) => sellers.at(address, limits) ?? operator.asLookupKey(),
    take(credentials, address, limits) {
      if (credentials.isSeller === true) return takeSellers(credentials, address, limits);
      if (credentials.isLookupKey === true) return operator.take(address, limits, false) ?? credentials;
      operator.countOwn(credentials);
      return credentials;
    },
    keyAfter(asked, finding, address, limits) {
      if (asked.isLookupKey !== true || finding.kind !== 'refused' || !REFUSALS.has(finding.httpStatus)) return undefined;
      const isTooOften = finding.httpStatus === TOO_OFTEN;
      if (asked.isSeller === true) {
        if (!isTooOften) sellers.forget(address);
        return operator.take(address, limits, true);
      }
      if (!isTooOften) return undefined;
      const pauseMs = Math.min((finding.retryAfterSeconds ?? Infinity) * 1_000, limits.windowMs);
      others?.tell({ kind: 'paused', fingerprint: asked.fingerprint, pauseMs });
      throw operator.pause(asked, pauseMs);
    },
  };
}

/** The keys that sold, by address: of each address the one that sold last. */
class Sellers {
  readonly #sales = createLru<string, Sale>(ADDRESSES_MAX);
  readonly #clock: Clock;
  readonly #others: OtherKeyless | undefined;

  constructor(clock: Clock, others: OtherKeyless | undefined) {
    this.#clock = clock;
    this.#others = others;
  }

  sold({ apiKey, fingerprint, isLookupKey }: Credentials, address: string): void {
    if (isLookupKey === true) return;
    const last = this.#sales.get(address);
    const now = this.#clock.elapsed();
    const isShared = last?.credentials.fingerprint === fingerprint && now - last.sharedAtMs < SHARE_EVERY_MS;
    this.#keep(apiKey, fingerprint, address, isShared ? last.sharedAtMs : now);
    if (!isShared) this.#others?.tell({ kind: 'sold', address, fingerprint, apiKey: apiKey.revealForUseOnly() });
  }

  applySale({ apiKey, fingerprint, address }: SoldNews): void {
    this.#keep(new Secret(apiKey), fingerprint, address, this.#clock.elapsed());
  }

  /** The key that sold from this address within the time that the mapping allows. */
  at(address: string, { seller }: LookupLimits): Credentials | undefined {
    const sale = this.#sales.get(address);
    const isLate = seller === undefined || sale === undefined || this.#clock.elapsed() - sale.atMs > seller.withinMs;
    return isLate ? undefined : sale.credentials;
  }

  forget(address: string): void {
    this.#sales.delete(address);
  }

  #keep(apiKey: Secret, fingerprint: string, address: string, sharedAtMs: number): void {
    const credentials: Credentials = { apiKey, fingerprint, isLookupKey: true, isSeller: true };
    this.#sales.set(address, { credentials, atMs: this.#clock.elapsed(), sharedAtMs });
  }
}

function countForAll(counted: LookupCounts, others: OtherKeyless | undefined): LookupCounts {
  return {
    ...counted,
    add(name) {
      counted.add(name);
      others?.tell({ kind: 'counted', name });
    },
  };
}

/** The operator's key, and how many lookups v1 still takes with it. */
class OperatorsKey {
  readonly #credentials: () => Credentials | undefined;
  readonly #counts: LookupCounts;
  readonly #clock: Clock;
  /** By fingerprint: until when v1 accepts no lookups with the key, by `clock.elapsed()`. */
  readonly #pausedUntilMs = createLru<string, number>(10);

  constructor(credentials: () => Credentials | undefined, counts: LookupCounts, clock: Clock) {
    this.#credentials = credentials;
    this.#counts = counts;
    this.#clock = clock;
  }

  asLookupKey(): Credentials | undefined {
    const credentials = this.#credentials();
    return credentials === undefined ? undefined : { ...credentials, isLookupKey: true };
  }

  /** Counts one lookup for a script without a key; undefined if the operator has no lookup key. Throws when there were too many. */
  take(address: string, { calls, windowMs, total, owner }: LookupLimits, hasSold: boolean): Credentials | undefined {
    const credentials = this.asLookupKey();
    if (credentials === undefined) return undefined;
    const counts = this.#counts;
    const [ownName, allName, networkName] = ['own', 'all', networkOf(address)].map((who) => `${credentials.fingerprint} ${who}`);
    const [all, had] = [counts.within(allName!, windowMs), counts.within(networkName!, windowMs)];
    const left = total - all.count - Math.max(owner, counts.within(ownName!, windowMs).count);
    const pauseMs = (this.#pausedUntilMs.get(credentials.fingerprint) ?? 0) - this.#clock.elapsed();
    if (pauseMs > 0) throw tooMany('with the key of this service', pauseMs);
    if (!hasSold && had.count >= calls) throw tooMany('without an API key from your address', had.roomInMs);
    if (left <= had.count * (hasSold ? OTHER_SELLERS : OTHER_STRANGERS))
      throw tooMany('without an API key', Math.max(1, had.count > 0 ? had.roomInMs : all.roomInMs));
    counts.add(allName!);
    counts.add(networkName!);
    return credentials;
  }

  /** Counts a lookup that the owner of the operator's key makes with it. */
  countOwn({ apiKey, fingerprint }: Credentials): void {
    if (this.#credentials()?.apiKey.equals(apiKey) === true) this.#counts.add(`${fingerprint} own`);
  }

  /** Stops lookups with this key for `pauseMs`. Returns the refusal for the script. */
  pause({ fingerprint }: Pick<Credentials, 'fingerprint'>, pauseMs: number): GatewayError {
    this.#pausedUntilMs.set(fingerprint, this.#clock.elapsed() + pauseMs);
    return tooMany('with the key of this service', pauseMs);
  }
}

function tooMany(which: string, waitMs: number): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new GatewayError(
    'too_many_lookups',
    `This number was not checked: too many lookups ${which}. Send your own API key. Try again in ${waitText(retryAfterSeconds)}.`,
    { retryAfterSeconds },
  );
}

const NAMES_MAX = 10_000;

/** Counts recent lookups by the name of a key or of a network of callers. In memory and bounded. */
export interface LookupCounts {
  add(name: string): void;
  /** How many lookups were made within the window, and in how many milliseconds the oldest of them leaves it. */
  within(name: string, windowMs: number): { readonly count: number; readonly roomInMs: number };
}

/** Of each name the last `LOOKUPS_MAX` lookups are kept. */
export function createLookupCounts(clock: Clock): LookupCounts {
  const seen = createLru<string, readonly number[]>(NAMES_MAX);
  return {
    add: (name) => void seen.set(name, [...(seen.get(name) ?? []).slice(1 - LOOKUPS_MAX), clock.elapsed()]),
    within(name, windowMs) {
      const from = clock.elapsed() - windowMs;
      const recent = (seen.get(name) ?? []).filter((time) => time > from);
      return { count: recent.length, roomInMs: (recent[0] ?? from) - from };
    },
  };
}

export interface LookedUp {
  readonly finding: Finding;
  /** The fields of the lookup; without the field of a trial in which no value was found. */
  readonly values: JsonObject;
}

/**
 * Remembers what v1 found in recent lookups without a key. The same address gets the same answer from memory, because scripts repeat
 * the lookup when they sell. Only successful lookups are kept, per address and key, in memory and bounded.
 */
export interface LookupMemory {
  find(name: string, rememberMs: number): LookedUp | undefined;
  keep(name: string, found: LookedUp): void;
}

interface Kept {
  readonly found: LookedUp;
  readonly atMs: number;
}

const CHARACTERS_MAX = 1_000_000;
/** Ten times the size of an answer with a name and an address. */
const ANSWER_CHARACTERS_MAX = 4_000;

export function createLookupMemory(clock: Clock): LookupMemory {
  const answers = new LRUCache<string, Kept>({
    maxSize: CHARACTERS_MAX,
    maxEntrySize: ANSWER_CHARACTERS_MAX,
    sizeCalculation: ({ found }, name) => name.length + JSON.stringify(found).length,
  });
  return {
    find(name, rememberMs) {
      const kept = answers.get(name);
      return kept !== undefined && clock.elapsed() - kept.atMs < rememberMs ? kept.found : undefined;
    },
    keep: (name, found) => void answers.set(name, { found, atMs: clock.elapsed() }),
  };
}
