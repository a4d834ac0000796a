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

interface KeylessParts {
  readonly lookupKey: Secret | undefined;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** Where several processes serve as one. */
  readonly others?: OtherKeyless | undefined;
}

/** Passes `KeylessNews` between processes that serve as one. */
export interface OtherKeyless {
  tell(news: KeylessNews): void;
  onNews(hear: (news: KeylessNews) => void): void;
}

export type KeylessNews =
  /** One lookup under this name of `LookupCounts`. */
  | { readonly kind: 'counted'; readonly name: string }
  | { readonly kind: 'paused'; readonly fingerprint: string; readonly pauseMs: number }
  /** Contains the key itself, without its PIN. It stays in memory, and passes only between processes of one gateway. */
  | { readonly kind: 'sold'; readonly address: string; readonly fingerprint: string; readonly apiKey: string };

/** v1's statuses for a key that is wrong, not allowed from this address, or used too often. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);
const TOO_OFTEN = 429;
/** How often the other processes are told that a shop goes on selling, so that not every sale costs a message. */
const SHARE_EVERY_MS = 600_000;

/** Which key is used. */
export function createKeyless({ lookupKey, keyring, clock, others }: KeylessParts): Keyless {
  const remembered = createRemembered(clock, others);
  const { sales, share } = remembered;
  const limiter = new LookupLimiter(remembered, clock);

  const operatorsKey = (): Credentials | undefined => {
    const own = lookupKey === undefined ? undefined : authenticate({ token: lookupKey.revealForUseOnly() }, keyring)?.credentials;
    return own === undefined ? undefined : { ...own, isLookupKey: true };
  };
  const takeOperators = (address: string, limits: LookupLimits, hasSold: boolean): Credentials | undefined => {
    const credentials = operatorsKey();
    if (credentials !== undefined) limiter.countOperators(credentials, address, limits, hasSold);
    return credentials;
  };

  return {
    sold({ apiKey, fingerprint, isLookupKey }, address) {
      if (isLookupKey === true) return;
      const last = sales.get(address);
      const isShared = last?.credentials.fingerprint === fingerprint && clock.elapsed() - last.sharedAtMs < SHARE_EVERY_MS;
      if (isShared) sales.set(address, { ...last, atMs: clock.elapsed() });
      else share({ kind: 'sold', address, fingerprint, apiKey: apiKey.revealForUseOnly() });
    },
    keyFor(address, { seller }) {
      const sale = sales.get(address);
      const isLate = seller === undefined || sale === undefined || clock.elapsed() - sale.atMs > seller.withinMs;
      return isLate ? operatorsKey() : sale.credentials;
    },
    take(credentials, address, limits) {
      const { isLookupKey, isSeller, apiKey } = credentials;
      if (isLookupKey === true && isSeller !== true) return takeOperators(address, limits, false) ?? credentials;
      const waitMs = isSeller === true ? limiter.countSellers(credentials, limits) : undefined;
      if (waitMs === undefined) {
        if (operatorsKey()?.apiKey.equals(apiKey) === true) limiter.countOwners(credentials);
        return credentials;
      }
      const other = takeOperators(address, limits, true);
      if (other === undefined) throw tooMany('without an API key from your address', waitMs);
      return other;
    },
    keyAfter(asked, finding, address, limits) {
      if (asked.isLookupKey !== true || finding.kind !== 'refused' || !REFUSALS.has(finding.httpStatus)) return undefined;
      const isTooOften = finding.httpStatus === TOO_OFTEN;
      if (asked.isSeller === true) {
        if (!isTooOften) sales.delete(address);
        return takeOperators(address, limits, true);
      }
      if (!isTooOften) return undefined;
      const pauseMs = Math.min((finding.retryAfterSeconds ?? Infinity) * 1_000, limits.windowMs);
      share({ kind: 'paused', fingerprint: asked.fingerprint, pauseMs });
      throw tooManyOfOperator(pauseMs);
    },
  };
}

/** A network gets one more lookup while the lookups left would give this many others as many as it has had. */
const OTHER_STRANGERS = 3;
const OTHER_SELLERS = 1;

/** What is counted, and under which names: lookups with a seller's key, and with the operator's key those of strangers and of its owner. */
class LookupLimiter {
  readonly #remembered: Remembered;
  readonly #clock: Clock;

  constructor(remembered: Remembered, clock: Clock) {
    this.#remembered = remembered;
    this.#clock = clock;
  }

  /** Counts one lookup with a seller's key; where its limit is reached, gives instead in how many milliseconds there is room again. */
  countSellers({ fingerprint }: Credentials, { seller }: LookupLimits): number | undefined {
    const { calls, windowMs } = seller ?? { calls: 0, windowMs: 0 };
    // The limit is per key, not per address: v1 counts the lookups of a key, and its owner needs some as well.
    const name = `${fingerprint} seller`;
    const { count, roomInMs } = this.#remembered.counts.within(name, windowMs);
    if (count >= calls) return roomInMs;
    this.#count(name);
    return undefined;
  }

  /** Counts one lookup with the operator's key for a script without a key. Throws a GatewayError when there were too many. */
  countOperators({ fingerprint }: Credentials, address: string, limits: LookupLimits, hasSold: boolean): void {
    const { calls, windowMs, total, owner } = limits;
    const { counts, pausedUntilMs } = this.#remembered;
    const [allName, networkName] = [`${fingerprint} all`, `${fingerprint} ${networkOf(address)}`];
    const [all, had] = [counts.within(allName, windowMs), counts.within(networkName, windowMs)];
    const left = total - all.count - Math.max(owner, counts.within(ownersName(fingerprint), windowMs).count);
    const pauseMs = (pausedUntilMs.get(fingerprint) ?? 0) - this.#clock.elapsed();
    if (pauseMs > 0) throw tooManyOfOperator(pauseMs);
    if (!hasSold && had.count >= calls) throw tooMany('without an API key from your address', had.roomInMs);
    if (left <= had.count * (hasSold ? OTHER_SELLERS : OTHER_STRANGERS))
      throw tooMany('without an API key', Math.max(1, had.count > 0 ? had.roomInMs : all.roomInMs));
    this.#count(allName);
    this.#count(networkName);
  }

  /** Counts a lookup that the owner of the operator's key makes with it. */
  countOwners({ fingerprint }: Credentials): void {
    this.#count(ownersName(fingerprint));
  }

  #count(name: string): void {
    this.#remembered.share({ kind: 'counted', name });
  }
}

const ownersName = (fingerprint: string): string => `${fingerprint} own`;

const tooManyOfOperator = (waitMs: number): GatewayError => tooMany('with the key of this service', waitMs);

function tooMany(which: string, waitMs: number): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new GatewayError(
    'too_many_lookups',
    `This number was not checked: too many lookups ${which}. Send your own API key. Try again in ${waitText(retryAfterSeconds)}.`,
    { retryAfterSeconds },
  );
}

interface Sale {
  readonly credentials: Credentials;
  readonly atMs: number;
  /** When the other processes were last told of this sale. */
  readonly sharedAtMs: number;
}

const ADDRESSES_MAX = 5_000;

type Remembered = ReturnType<typeof createRemembered>;

/** What the processes that serve as one remember alike: each applies its own news and those of the others. */
function createRemembered(clock: Clock, others: OtherKeyless | undefined) {
  /** By address, the sale of the key that sold last from it. */
  const sales = createLru<string, Sale>(ADDRESSES_MAX);
  const counts = createLookupCounts(clock);
  /** By fingerprint: until when v1 accepts no lookups with the key, by `clock.elapsed()`. */
  const pausedUntilMs = createLru<string, number>(10);
  const apply = (news: KeylessNews): void => {
    const now = clock.elapsed();
    if (news.kind === 'counted') counts.add(news.name);
    else if (news.kind === 'paused') pausedUntilMs.set(news.fingerprint, now + news.pauseMs);
    else {
      const { apiKey, fingerprint, address } = news;
      const credentials: Credentials = { apiKey: new Secret(apiKey), fingerprint, isLookupKey: true, isSeller: true };
      sales.set(address, { credentials, atMs: now, sharedAtMs: now });
    }
  };
  others?.onNews(apply);
  const share = (news: KeylessNews): void => {
    apply(news);
    others?.tell(news);
  };
  return { sales, counts, pausedUntilMs, share };
}

const NAMES_MAX = 10_000;

/** Counts recent lookups by the name of a key or of a network of callers. In memory and bounded. */
interface LookupCounts {
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
