/** The whole walk on a clock that stands still, with a scripted v1: for tests between journal and upstream. */
import type { PriceLists } from '../../src/price-lists/price-lists';
import { Secret } from '../../src/domain/credentials';
import { createGateway, type Gateway } from '../../src/gateway/gateway';
import type { GatewayParts } from '../../src/gateway/walk-parts';
import { createKeyring } from '../../src/gateway/read/keyring';
import type { Journal } from '../../src/journal/journal';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import type { Finding, V1Call } from '../../src/upstream/upstream';
import { createVisitors } from '../../src/upstream/visitors';
import { createVirtualClock, type VirtualClock } from '../domain/virtual-clock';
import { shippedMapping } from '../mapping/mapping-set';
import { createScriptedUpstream, type ScriptedAnswer, type ScriptedUpstream } from './scripted-upstream';

export interface WalkHouse {
  readonly gateway: Gateway;
  readonly clock: VirtualClock;
  readonly upstream: ScriptedUpstream;
  /** The journal below the wrapper that `wrapJournal` adds. */
  readonly journal: Journal;
  readonly owner: string;
}

export interface WalkHouseOptions {
  readonly answers?: readonly ScriptedAnswer[];
  readonly find?: (call: V1Call, nth: number, clock: VirtualClock) => Finding;
  readonly wrapJournal?: (journal: Journal, clock: VirtualClock) => Partial<Journal>;
  /** A second process on the same journal and clock. */
  readonly beside?: WalkHouse;
  readonly parts?: Partial<GatewayParts>;
}

export const WALK_KEY = 'sandbox_demo';
const NO_CATALOG: PriceLists = {
  get: async () => undefined,
  show: async () => undefined,
  peek: () => undefined,
  warm: () => undefined,
};

export function openWalkHouse({ answers = [], find, wrapJournal, beside, parts }: WalkHouseOptions = {}): WalkHouse {
  const clock = beside?.clock ?? createVirtualClock();
  const journal = beside?.journal ?? createMemoryJournal();
  const keyring = createKeyring(new Secret('test'));
  const upstream = createScriptedUpstream(
    clock,
    answers,
    (call, nth) => find?.(call, nth, clock) ?? { kind: 'unavailable', reason: 'not scripted' },
  );
  const gateway = createGateway({
    mapping: () => shippedMapping(),
    setOf: (hash) => (hash === shippedMapping().hash ? shippedMapping() : undefined),
    journal: { ...journal, ...wrapJournal?.(journal, clock) },
    upstream,
    priceLists: NO_CATALOG,
    visitors: createVisitors({ upstream, clock: () => clock.elapsed() }),
    keyring,
    lookupKey: undefined,
    clock,
    random: () => 0.5,
    onTrouble: () => undefined,
    ...parts,
  });
  return { gateway, clock, upstream, journal, owner: keyring.fingerprint(new Secret(WALK_KEY)) };
}
