/**
 * Whose key asks v1 for a lookup that brings none (many scripts of format A): the one that sold from this address last,
 * then the operator's. In memory and bounded. Keys only, no PINs: a lookup is free, and what it shows is the customer's name.
 *
 * v1 counts the lookups of a key. Of the operator's key its owner has his part first, and no network of strangers has so
 * many that others find none.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../domain/clock';
import type { Credentials, Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import { networkOf } from '../domain/network-of';
import type { LookupLimits } from '../mapping/mapping';
import type { Finding } from '../upstream/upstream';
import { authenticate } from './read/authenticate';
import type { Keyring } from './read/keyring';
import { createLookupCounts } from './lookup-counts';
import { waitText } from './tell/tell-wait';

export interface Keyless {
  /** This key has sold something from this address. */
  sold(credentials: Credentials, address: string): void;
  /** The key for lookups from this address; undefined when there is none. Counts nothing. */
  keyFor(address: string, limits: LookupLimits): Credentials | undefined;
  /** The key for one more lookup by these credentials, which is counted. Refuses one too many of those without a key. */
  take(credentials: Credentials, address: string, limits: LookupLimits): Credentials;
  /** The operator's key, where v1 refused the first one. Refuses where v1 takes no more lookups with the operator's. */
  keyAfter(asked: Credentials, finding: Finding, address: string, limits: LookupLimits): Credentials | undefined;
}

export interface KeylessParts {
  readonly lookupKey: Secret | undefined;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

interface Sale {
  readonly credentials: Credentials;
  readonly atMs: number;
}

const ADDRESSES_MAX = 5_000;
/** v1 does not take this key any more, not from here, or not so often. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);
const TOO_OFTEN = 429;
/** A network has one more lookup while so many others could still have as many as it has had. */
const STRANGERS_BESIDE = 3;
const SELLERS_BESIDE = 1;

export function createKeyless({ lookupKey, keyring, clock }: KeylessParts): Keyless {
  const sales = new LRUCache<string, Sale>({ max: ADDRESSES_MAX });
  const counts = createLookupCounts(clock);
  /** Until when v1 takes no lookups with the operator's key, by fingerprint. */
  const pausedUntilMs = new LRUCache<string, number>({ max: 10 });

  const operator = (): Credentials | undefined =>
    lookupKey === undefined ? undefined : authenticate({ token: lookupKey.revealForUseOnly() }, keyring)?.credentials;

  /** One lookup with the operator's key for a script that brings none. */
  function takeOperators(address: string, limits: LookupLimits, hasSold: boolean): Credentials | undefined {
    const credentials = operator();
    if (credentials === undefined) return undefined;
    const { calls, windowMs, total, owner } = limits;
    const [ownName, allName, networkName] = ['own', 'all', networkOf(address)].map((who) => `${credentials.fingerprint} ${who}`);
    const [all, had] = [counts.within(allName!, windowMs), counts.within(networkName!, windowMs)];
    const left = total - all.count - Math.max(owner, counts.within(ownName!, windowMs).count);
    const pauseMs = (pausedUntilMs.get(credentials.fingerprint) ?? 0) - clock.elapsed();
    if (pauseMs > 0) throw tooMany('with the key of this service', pauseMs);
    if (!hasSold && had.count >= calls) throw tooMany('without an API key from your address', had.roomInMs);
    if (left <= had.count * (hasSold ? SELLERS_BESIDE : STRANGERS_BESIDE))
      throw tooMany('without an API key', Math.max(1, had.count > 0 ? had.roomInMs : all.roomInMs));
    counts.add(allName!);
    counts.add(networkName!);
    return { ...credentials, isLookupKey: true };
  }

  /** The key that sold from this address, as long after its sale as the mapping says. */
  function sellerAt(address: string, { seller }: LookupLimits): Credentials | undefined {
    const sale = sales.get(address);
    const isLate = seller === undefined || sale === undefined || clock.elapsed() - sale.atMs > seller.withinMs;
    return isLate ? undefined : sale.credentials;
  }

  /** What the owner of the operator's key asks for himself. */
  function countOwn({ apiKey, fingerprint }: Credentials): void {
    if (operator()?.apiKey.equals(apiKey) === true) counts.add(`${fingerprint} own`);
  }

  /** One lookup with the key that sold from this address, then with the operator's. */
  function takeSellers(credentials: Credentials, address: string, limits: LookupLimits): Credentials {
    const { calls, windowMs } = limits.seller ?? { calls: 0, windowMs: 0 };
    // By key, not by address: v1 counts the lookups of a key, and its owner needs some himself.
    const name = `${credentials.fingerprint} seller`;
    const { count, roomInMs } = counts.within(name, windowMs);
    if (count < calls) {
      counts.add(name);
      countOwn(credentials);
      return credentials;
    }
    const other = takeOperators(address, limits, true);
    if (other === undefined) throw tooMany('without an API key from your address', roomInMs);
    return other;
  }

  return {
    sold({ apiKey, fingerprint, isLookupKey }, address) {
      if (isLookupKey === true) return;
      const credentials: Credentials = { apiKey, fingerprint, isLookupKey: true, isSeller: true };
      sales.set(address, { credentials, atMs: clock.elapsed() });
    },
    keyFor(address, limits) {
      const seller = sellerAt(address, limits);
      if (seller !== undefined) return seller;
      const credentials = operator();
      return credentials === undefined ? undefined : { ...credentials, isLookupKey: true };
    },
    take(credentials, address, limits) {
      if (credentials.isSeller === true) return takeSellers(credentials, address, limits);
      if (credentials.isLookupKey === true) return takeOperators(address, limits, false) ?? credentials;
      countOwn(credentials);
      return credentials;
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
      pausedUntilMs.set(asked.fingerprint, clock.elapsed() + pauseMs);
      throw tooMany('with the key of this service', pauseMs);
    },
  };
}

function tooMany(which: string, waitMs: number): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new GatewayError(
    'too_many_lookups',
    `This number was not checked: too many lookups ${which}. Send your own API key. Try again in ${waitText(retryAfterSeconds)}.`,
    { retryAfterSeconds },
  );
}
