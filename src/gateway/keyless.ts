/**
 * Whose key asks v1 for a lookup that brings none (many scripts of format A): the one that sold from this address last,
 * then the operator's. In memory and bounded. Keys only, no PINs: a lookup is free, and what it shows is the customer's name.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../domain/clock';
import type { Credentials, Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import type { LookupLimits } from '../mapping/mapping';
import type { Finding } from '../upstream/upstream';
import { authenticate } from './authenticate';
import type { Keyring } from './keyring';
import { createLookupLimit } from './lookup-limit';

export interface Keyless {
  /** This key has sold something from this address. */
  sold(credentials: Credentials, address: string): void;
  /** The key for a lookup from this address; undefined when there is none. Refuses when there were too many. */
  keyFor(address: string, limits: LookupLimits): Credentials | undefined;
  /** The operator's key, where v1 refused the first one. */
  keyAfter(refused: Credentials, finding: Finding, address: string, limits: LookupLimits): Credentials | undefined;
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

export function createKeyless({ lookupKey, keyring, clock }: KeylessParts): Keyless {
  const sales = new LRUCache<string, Sale>({ max: ADDRESSES_MAX });
  const ofSellers = createLookupLimit(clock);
  const ofAddresses = createLookupLimit(clock);

  function operatorKey(address: string, limits: LookupLimits): Credentials | undefined {
    if (lookupKey === undefined) return undefined;
    ofAddresses.take(address, limits);
    const { credentials } = authenticate({ token: lookupKey.revealForUseOnly() }, keyring)!;
    return { ...credentials, isLookupKey: true };
  }

  /** The key that sold from this address, as long after its sale as the mapping says. */
  function sellerAt(address: string, { seller }: LookupLimits): Credentials | undefined {
    const sale = sales.get(address);
    const isLate = seller === undefined || sale === undefined || clock.elapsed() - sale.atMs > seller.withinMs;
    return isLate ? undefined : sale.credentials;
  }

  return {
    sold({ apiKey, fingerprint, isLookupKey }, address) {
      if (isLookupKey === true) return;
      const credentials: Credentials = { apiKey, fingerprint, isLookupKey: true, isSeller: true };
      sales.set(address, { credentials, atMs: clock.elapsed() });
    },
    keyFor(address, limits) {
      const seller = sellerAt(address, limits);
      // By key, not by address: v1 counts the lookups of a key, and its owner needs some himself.
      if (seller !== undefined && ofSellers.takes(seller.fingerprint, limits.seller!)) return seller;
      const operator = operatorKey(address, limits);
      if (seller !== undefined && operator === undefined)
        throw new GatewayError('too_many_lookups', 'Too many lookups without a key. Send your own API key, or wait.');
      return operator;
    },
    keyAfter({ isSeller }, finding, address, limits) {
      if (isSeller !== true || finding.kind !== 'refused' || !REFUSALS.has(finding.httpStatus)) return undefined;
      if (finding.httpStatus !== TOO_OFTEN) sales.delete(address);
      return operatorKey(address, limits);
    },
  };
}
