/** The surroundings of one conversation: a journal, a v1, a price list and a clock that nobody else has. */
import { createPriceLists, type PriceLists } from '../../../src/price-lists/price-lists';
import { Secret } from '../../../src/domain/credentials';
import { createGateway, type Gateway } from '../../../src/gateway/gateway';
import { createKeyring } from '../../../src/gateway/read/keyring';
import type { Journal } from '../../../src/journal/journal';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import { createVisitors, type Visitors } from '../../../src/upstream/visitors';
import { mapping } from './samples';
import { createScriptedUpstream, type Script, type ScriptedUpstream } from './scripted-upstream';
import { createJumpingClock, type JumpingClock } from '../../../src/operator/case/jumping-clock';

/** When every conversation begins. */
export const START_MS = Date.UTC(2026, 2, 1, 10, 0, 0);

export type TimedScript = (clock: JumpingClock) => Script;

export interface World {
  readonly gateway: Gateway;
  readonly visitors: Visitors;
  readonly journal: Journal;
  readonly upstream: ScriptedUpstream;
  readonly priceLists: PriceLists;
  readonly clock: JumpingClock;
}

// A gateway is slow to build because of its bounded caches, and thousands of conversations want one. So a few of them
// share one in turn, each with a world behind it and a key fingerprint of its own: none finds anything of another.
const CONVERSATIONS_PER_GATEWAY = 8;
/** After more calls than this an order may wait for a turn to be sent again, which it would get in another world. */
const CALLS_MAX = 2;

let world: World;
let conversations = 0;
let turn: Promise<unknown> = Promise.resolve();

/** Talks in a world of its own, after all who came before. */
export function inTurn<T>(script: TimedScript, talk: (world: World) => Promise<T>): Promise<T> {
  const told = turn.then(async () => {
    const clock = createJumpingClock(START_MS);
    const upstream = createScriptedUpstream(script(clock));
    const isUsedUp = conversations % CONVERSATIONS_PER_GATEWAY === 0 || world.upstream.seen.length > CALLS_MAX;
    const { gateway, visitors } = isUsedUp ? createSharedGateway() : world;
    conversations += 1;
    const priceLists = createPriceLists({ upstream, visitors, clock: () => clock.now(), entriesMax: 1 });
    world = { gateway, visitors, journal: createMemoryJournal(), upstream, priceLists, clock };
    try {
      return await talk(world);
    } finally {
      clock.stop();
      // Whatever still goes on behind the reply ends before the next world begins.
      await new Promise(setImmediate);
    }
  });
  turn = told.catch(() => undefined);
  return told;
}

// The same secret and the same hour in every run give the same tokens.
const keyring = createKeyring(new Secret('the secret of the reply table, which guards nothing'), { days: 1, now: () => 0 });

function createSharedGateway(): Pick<World, 'gateway' | 'visitors'> {
  const upstream = standIn<ScriptedUpstream>(() => world.upstream);
  const visitors = createVisitors({ upstream, clock: () => world.clock.elapsed() });
  const gateway = createGateway({
    visitors,
    mapping: () => mapping,
    journal: standIn(() => world.journal),
    upstream,
    priceLists: standIn(() => world.priceLists),
    // Replies show the first eight digits.
    keyring: { ...keyring, fingerprint: () => `00c0ffee${String(conversations).padStart(24, '0')}` },
    lookupKey: undefined,
    clock: standIn<JumpingClock>(() => world.clock),
    random: () => 0.5,
    onTrouble: (what, error) => {
      throw new Error(`trouble with ${what}`, { cause: error });
    },
  });
  return { gateway, visitors };
}

/** Whichever part the world has now. */
function standIn<T extends object>(current: () => T): T {
  return new Proxy({} as T, { get: (_, name) => Reflect.get(current(), name) as unknown });
}
