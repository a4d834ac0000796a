/** What every simulated house is made of: the shipped mappings and the sandbox's files. */
import { resolve } from 'node:path';
import { kobo } from '../../../src/domain/amount';
import { Secret } from '../../../src/domain/credentials';
import { sandboxScopeOf } from '../../../src/mapping/caller-name';
import { plainCallerKey } from '../../../src/mapping/compile-callers';
import { createKeyring } from '../../../src/gateway/read/keyring';
import type { CallerKey, Family, Mapping } from '../../../src/mapping/mapping';
import { createOwnNumbers } from '../../../src/mapping/numbering';
import { shippedMapping } from '../../mapping/mapping-set';
import { loadConfig } from '../../../src/sandbox/load-config';
import { CROSSED_PLANS } from '../script/content';
import type { MappingSet } from './fault-plan';
import type { HouseParts } from './gateway-process';

const ROOT = resolve(__dirname, '..', '..', '..');
export const START_MS = Date.UTC(2026, 5, 1, 9);

export const config = loadConfig(resolve(ROOT, 'sandbox'));
const keyring = createKeyring(new Secret('simulation'), { days: 30, now: () => START_MS });
export const house: HouseParts = { mapping: shippedMapping(), keyring };

/** Two sales are within it, rarely three. */
const LIMIT = { purchasesPerMinute: 2, nairaPerDay: kobo(150_000) };

export function ownerOf(apiKey: string): string {
  return keyring.fingerprint(new Secret(apiKey));
}

/** Returns the mapping with the entries of this set for these keys. */
export function withSet(base: Mapping, apiKeys: readonly string[], set: MappingSet): Mapping {
  if (set === 'shipped') return base;
  if (set === 'headless') return changed(base, { hash: set, requestIdHeaders: [] });
  const numbers = new Map(
    Object.entries(CROSSED_PLANS).map(([name, plans]) => {
      const written = Object.fromEntries([...plans].map(([number, ours]) => [number, String(ours)]));
      return [name, createOwnNumbers(base.tables.get(name)!, set === 'crossed' ? written : {}, false, () => undefined)];
    }),
  );
  const said = { paused: { pausedText: 'Paused.' }, limited: { limit: LIMIT }, sandboxed: { isSandboxed: true } };
  const entries = apiKeys.map(ownerOf).flatMap((owner): [string, CallerKey][] => {
    const own = { ...(base.callerKeys.get(owner) ?? plainCallerKey(owner)), ...(said[set as keyof typeof said] ?? { numbers }) };
    const fingerprint = sandboxScopeOf(owner);
    return [
      [owner, own],
      [fingerprint, { ...own, fingerprint, sandboxOf: owner }],
    ];
  });
  return changed(base, { hash: set, callerKeys: new Map([...base.callerKeys, ...entries]) });
}

/** The mapping of a family is that of its set. */
function changed(base: Mapping, change: Pick<Mapping, 'hash'> & Partial<Mapping>): Mapping {
  const families = [...base.families].map(([id, family]): [string, Family] => {
    let own: Mapping | undefined;
    return [id, { ...family, mapping: () => (own ??= { ...family.mapping(), ...change }) }];
  });
  return { ...base, ...change, families: new Map(families) };
}

/** The mapping with this family for a key, as callers.yaml would say it. */
export function withFamily(base: Mapping, apiKey: string, family: string): Mapping {
  const owner = ownerOf(apiKey);
  const entry: CallerKey = { ...plainCallerKey(owner), format: base.families.get(family)!.format, family };
  return { ...base, callerKeys: new Map([...base.callerKeys, [owner, entry]]) };
}

/** The mapping with `after_pending: buy` for these keys, as callers.yaml would say it. */
export function withBuyAfterPending(base: Mapping, apiKeys: readonly string[]): Mapping {
  const entries = apiKeys.map((apiKey): [string, CallerKey] => {
    const fingerprint = ownerOf(apiKey);
    return [fingerprint, { ...plainCallerKey(fingerprint), afterPendingOf: () => 'buy' }];
  });
  return { ...base, callerKeys: new Map([...base.callerKeys, ...entries]) };
}
