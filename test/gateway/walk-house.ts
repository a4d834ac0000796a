/** The whole walk on a clock that stands still, with a scripted v1: for tests between journal and upstream. */
import type { PriceLists } from '../../src/price-lists/price-lists';
import { Secret } from '../../src/domain/credentials';
import { GatewayError } from '../../src/domain/errors';
import { createGateway, type Gateway } from '../../src/gateway/gateway';
import type { GatewayParts } from '../../src/gateway/walk-parts';
import { createKeyring } from '../../src/gateway/read/keyring';
import type { Journal } from '../../src/journal/journal';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { createVisitors } from '../../src/upstream/visitors';
import { createVirtualClock, type VirtualClock } from '../domain/virtual-clock';
import type { Mapping } from '../../src/mapping/mapping';
import { shippedMapping } from '../mapping/mapping-set';
import { createScriptedUpstream, type Find, type ScriptedAnswer, type ScriptedUpstream } from './scripted-upstream';

export interface WalkHouse {
  readonly gateway: Gateway;
  readonly clock: VirtualClock;
  readonly upstream: ScriptedUpstream;
  /** The journal below the wrapper that `wrapJournal` adds. */
  readonly journal: Journal;
  readonly owner: string;
  /** The operator puts this mapping in use. */
  serve(mapping: Mapping): void;
  /** From now on these methods of its journal reject, and no others. */
  setAway(methods: readonly AwayMethod[]): void;
}

/** A journal that can be neither written nor read. */
export const JOURNAL_AWAY = ['open', 'find', 'listUnsettled', 'listUntold', 'listOfOwner'] as const;
type AwayMethod = (typeof JOURNAL_AWAY)[number];

export interface WalkHouseOptions {
  readonly answers?: readonly ScriptedAnswer[];
  /** The shipped one unless given. */
  readonly mapping?: Mapping;
  readonly find?: Find;
  readonly wrapJournal?: (journal: Journal, clock: VirtualClock) => Partial<Journal>;
  /** The methods of its journal that reject, until `setAway`. */
  readonly away?: readonly AwayMethod[];
  /** A second process on the same journal and clock. */
  readonly beside?: WalkHouse;
  readonly parts?: Partial<GatewayParts>;
}

export const WALK_KEY = 'sandbox_demo';
/** The headers of a plain PHP script, and of one that is held for eight seconds. */
export const PHP = { authorization: `Token ${WALK_KEY}:1234` };
export const AXIOS = { ...PHP, userAgent: 'axios/1.7' };
/** A sale of airtime, without an id. */
export const AIRTIME = { network: '1', mobile_number: '08030000001', amount: '100', Ported_number: 'true' };

const NO_CATALOG: PriceLists = {
  get: async () => undefined,
  show: async () => undefined,
  peek: () => undefined,
  warm: () => undefined,
};

export function openWalkHouse(options: WalkHouseOptions = {}): WalkHouse {
  const { answers = [], find, wrapJournal, beside, parts } = options;
  let { mapping = shippedMapping(), away = [] } = options;
  const clock = beside?.clock ?? createVirtualClock();
  const journal = beside?.journal ?? createMemoryJournal();
  const orAway = <T>(method: AwayMethod, work: () => Promise<T>): Promise<T> => {
    if (!away.includes(method)) return work();
    return Promise.reject(method === 'open' ? new GatewayError('journal_unavailable') : new Error('connection reset'));
  };
  const stored: Journal = {
    ...journal,
    open: (...of) => orAway('open', () => journal.open(...of)),
    find: (...of) => orAway('find', () => journal.find(...of)),
    listUnsettled: (...of) => orAway('listUnsettled', () => journal.listUnsettled(...of)),
    listUntold: (...of) => orAway('listUntold', () => journal.listUntold(...of)),
    async *listOfOwner(...of) {
      yield* await orAway('listOfOwner', async () => journal.listOfOwner(...of));
    },
  };
  const keyring = createKeyring(new Secret('test'));
  const upstream = createScriptedUpstream(clock, answers, find);
  const gateway = createGateway({
    mapping: () => mapping,
    setOf: (hash) => (hash === shippedMapping().hash ? shippedMapping() : undefined),
    journal: { ...stored, ...wrapJournal?.(stored, clock) },
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
  const owner = keyring.fingerprint(new Secret(WALK_KEY));
  return {
    gateway,
    clock,
    upstream,
    journal,
    owner,
    serve: (next) => void (mapping = next),
    setAway: (methods) => void (away = methods),
  };
}

/** This mapping for scripts that sell what is pending. */
export function selling(mapping: Mapping): Mapping {
  const operations = [...mapping.operations].map(([name, one]) => [name, { ...one, takesPending: 'sells' }] as const);
  return { ...mapping, operations: new Map(operations) };
}
