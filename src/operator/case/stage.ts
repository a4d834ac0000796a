/**
 * Where cases are played: one gateway for many of them, because making one costs more than a request does. Each case has
 * a key, an address, a journal, a v1 and a time of its own, so that none knows of another.
 */
import { createPriceLists, type PriceLists } from '../../price-lists/price-lists';
import { pause } from '../../domain/clock';
import { Secret } from '../../domain/credentials';
import { createMemoryJournal } from '../../journal/memory-journal';
import type { Journal } from '../../journal/journal';
import type { Mapping } from '../../mapping/mapping';
import type { Upstream } from '../../upstream/upstream';
import { createVisitors } from '../../upstream/visitors';
import { createGateway, type Gateway } from '../../gateway/gateway';
import { createKeyring } from '../../gateway/read/keyring';
import { createJumpingClock, type JumpingClock } from './jumping-clock';
import { createScriptedV1, type Script, type ScriptedV1 } from './scripted-v1';

/** What one case is played with. */
export interface CaseHouse {
  readonly gateway: Gateway;
  readonly v1: Pick<ScriptedV1, 'seen'>;
  readonly clock: Pick<JumpingClock, 'now'>;
  readonly clientAddress: string;
  /** What the gateway complained about. */
  readonly troubles: readonly string[];
  /** Lets so much time go by, with all that happens in it. */
  wait(delayMs: number): Promise<void>;
  /** Acts as the caller with this fingerprint from now on. */
  actAs(fingerprint: string | undefined): void;
}

export interface Stage {
  /** Plays one case; cases are played one after another. The mapping may say something of the key of the case, by its fingerprint. */
  play<Result>(
    mappingOf: (fingerprint: string) => Mapping,
    script: Script,
    act: (house: CaseHouse) => Promise<Result>,
  ): Promise<Result>;
}

/** After more attempts than this an order may wait for a turn, which it would get in the middle of another case. */
const SENDS_MAX = 2;
/** When every case begins. */
export const START_MS = Date.UTC(2026, 2, 1, 10, 0, 0);

// The same secret and the same hour in every run give the same tokens. It guards nothing.
const keyring = createKeyring(new Secret('the secret of the cases, which guards nothing'), { days: 1, now: () => START_MS });

export interface StageOptions {
  /** Scripts without a key may look up meters and smartcards; true unless told. */
  readonly hasLookupKey?: boolean;
  /** Eight hex digits that the keys begin with: replies show them. */
  readonly keyPrefix?: string;
}

export function createStage({ hasLookupKey = true, keyPrefix = 'ca5e0000' }: StageOptions = {}): Stage {
  let shared: SharedGateway | undefined;
  let played = 0;
  return {
    async play(mappingOf, script, act) {
      played += 1;
      shared ??= openSharedGateway(hasLookupKey);
      const parts = shared.set(mappingOf, script, { nth: played, key: `${keyPrefix}${played.toString(16).padStart(24, '0')}` });
      try {
        return await act(parts.house);
      } finally {
        parts.clock.stop();
        // What the case has set off ends before the next one begins.
        await new Promise((resolve) => setImmediate(resolve));
        if (parts.sends() > SENDS_MAX || parts.isOfNamedKey()) shared = undefined;
      }
    },
  };
}

/** One gateway, and the parts that are changed between cases. */
interface SharedGateway {
  set(mappingOf: (fingerprint: string) => Mapping, script: Script, own: OwnKey): PreparedCase;
}

/** Of one case: its number, and the fingerprint of its key. */
interface OwnKey {
  readonly nth: number;
  readonly key: string;
}

interface PreparedCase {
  readonly house: CaseHouse;
  readonly clock: JumpingClock;
  readonly sends: () => number;
  /** Other cases may act as this caller, and would meet the orders that it has left open. */
  readonly isOfNamedKey: () => boolean;
}

interface Current {
  mapping: Mapping;
  clock: JumpingClock;
  journal: Journal;
  v1: ScriptedV1;
  /** Kept by key, and cases may share one that callers.yaml knows. */
  priceLists: PriceLists;
  sends: number;
  fingerprint: string;
  troubles: string[];
}

function openSharedGateway(hasLookupKey: boolean): SharedGateway {
  let now: Current | undefined;
  const current = (): Current => now!;
  const clock = {
    now: () => current().clock.now(),
    elapsed: () => current().clock.elapsed(),
    after: (delayMs: number, run: () => void) => current().clock.after(delayMs, run),
  };
  const upstream: Upstream = {
    send(...call) {
      current().sends += 1;
      return current().v1.send(...call);
    },
    find: (...call) => current().v1.find(...call),
    close: async () => undefined,
  };
  // Cases share no key at one address. Where one does not say what v1 thinks of its key, v1 accepts it, and no call shows that.
  const visitors = createVisitors({ upstream: { find: async () => ({ kind: 'found', body: {} }) }, clock: clock.elapsed });
  const gateway = createGateway({
    visitors,
    mapping: () => current().mapping,
    journal: delegateJournal(() => current().journal),
    upstream,
    priceLists: delegatePriceLists(() => current().priceLists),
    keyring: { ...keyring, fingerprint: () => current().fingerprint },
    lookupKey: hasLookupKey ? new Secret('the_lookup_key_of_the_cases') : undefined,
    clock,
    random: () => 0.5,
    onTrouble: (what, error) =>
      void current().troubles.push(`${what}: ${error instanceof Error ? error.message : String(error)}`),
  });
  return {
    set(mappingOf, script, { nth, key: own }) {
      const ownClock = createJumpingClock(START_MS);
      const parts: Current = {
        mapping: mappingOf(own),
        clock: ownClock,
        journal: createMemoryJournal(),
        v1: createScriptedV1(script, ownClock),
        priceLists: createPriceLists({ upstream, visitors, clock: clock.now }),
        sends: 0,
        fingerprint: own,
        troubles: [],
      };
      now = parts;
      const house: CaseHouse = {
        gateway,
        v1: parts.v1,
        clock: parts.clock,
        clientAddress: `10.${(nth >> 16) % 256}.${(nth >> 8) % 256}.${nth % 256}`,
        troubles: parts.troubles,
        wait: (delayMs) => pause(parts.clock, delayMs),
        actAs: (fingerprint) => void (parts.fingerprint = fingerprint ?? own),
      };
      return { house, clock: parts.clock, sends: () => parts.sends, isOfNamedKey: () => parts.fingerprint !== own };
    },
  };
}

function delegatePriceLists(priceLists: () => PriceLists): PriceLists {
  return {
    get: (context) => priceLists().get(context),
    show: (context) => priceLists().show(context),
    peek: (fingerprint) => priceLists().peek(fingerprint),
    warm: (context) => priceLists().warm(context),
  };
}

function delegateJournal(journal: () => Journal): Journal {
  return {
    open: (intent) => journal().open(intent),
    settle: (...settled) => journal().settle(...settled),
    tell: (...told) => journal().tell(...told),
    find: (...wanted) => journal().find(...wanted),
    findByReference: (...wanted) => journal().findByReference(...wanted),
    findByNumber: (...wanted) => journal().findByNumber(...wanted),
    hasReference: (owner) => journal().hasReference(owner),
    listUnsettled: (options) => journal().listUnsettled(options),
    list: (options) => journal().list(options),
    isWritable: () => journal().isWritable(),
    close: () => journal().close(),
  };
}
