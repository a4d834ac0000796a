/**
 * Plays cases. Many cases share one gateway, because making a gateway costs more than a request. Each case has its own key,
 * address, journal, v1 and time, so that no case affects another.
 */
import { pause, type Clock } from '../../domain/clock';
import { Secret } from '../../domain/credentials';
import { errorText } from '../../domain/shown-words';
import { createGateway, type Gateway } from '../../gateway/gateway';
import { createKeyring } from '../../gateway/read/keyring';
import type { Journal } from '../../journal/journal';
import { createMemoryJournal } from '../../journal/memory-journal';
import type { Mapping } from '../../mapping/mapping';
import { createPriceLists, type PriceLists } from '../../price-lists/price-lists';
import type { Upstream } from '../../upstream/upstream';
import { createVisitors } from '../../upstream/visitors';
import { createScriptedV1, type Script, type ScriptedV1 } from './scripted-v1';

/** What a case is played with. */
export interface CaseSurroundings {
  readonly gateway: Gateway;
  readonly v1: Pick<ScriptedV1, 'seen'>;
  readonly clock: Pick<JumpingClock, 'now'>;
  readonly clientAddress: string;
  /** The troubles that the gateway reported. */
  readonly troubles: readonly string[];
  /** Lets this much time pass, with everything that is due in it. */
  wait(delayMs: number): Promise<void>;
  /** Acts as the caller with this fingerprint from now on. */
  actAs(fingerprint: string | undefined): void;
}

export type Stage = ReturnType<typeof createStage>;

/** After more attempts an order may have to wait for a turn, and would get it in the middle of another case. */
const SENDS_MAX = 2;
const DAY_MS = 24 * 3_600_000;
/** The time at which every case begins. */
export const START_MS = Date.UTC(2026, 2, 1, 10, 0, 0);

// The same secret and the same hour in every run give the same tokens. It guards nothing.
const keyring = createKeyring(new Secret('the secret of the cases, which guards nothing'), { days: 1, now: () => START_MS });

interface StageOptions {
  /** Whether scripts without a key may look up meters and smartcards. Default: true. */
  readonly hasLookupKey?: boolean;
  /** The eight hex digits with which the keys begin. Replies show them. */
  readonly keyPrefix?: string;
}

export function createStage({ hasLookupKey = true, keyPrefix = 'ca5e0000' }: StageOptions = {}) {
  let shared: ReturnType<typeof openSharedGateway> | undefined;
  let played = 0;
  return {
    /** Plays one case after another. `mappingOf` gets the fingerprint of the case's key, so that the mapping can have an entry for it. */
    async play<Result>(
      mappingOf: (fingerprint: string) => Mapping,
      script: Script,
      act: (house: CaseSurroundings) => Promise<Result>,
    ): Promise<Result> {
      played += 1;
      const key = `${keyPrefix}${played.toString(16).padStart(24, '0')}`;
      shared ??= openSharedGateway(hasLookupKey);
      const clock = createJumpingClock(START_MS, played * DAY_MS);
      const own: Current = {
        mapping: mappingOf(key),
        clock,
        journal: createMemoryJournal(),
        v1: createScriptedV1(script, clock),
        priceLists: once(shared.createPriceLists),
        sends: 0,
        fingerprint: key,
        troubles: [],
      };
      shared.begin(own);
      try {
        return await act({
          gateway: shared.gateway,
          v1: own.v1,
          clock,
          clientAddress: `10.${(played >> 16) % 256}.${(played >> 8) % 256}.${played % 256}`,
          troubles: own.troubles,
          wait: (delayMs) => pause(clock, delayMs),
          actAs: (fingerprint) => void (own.fingerprint = fingerprint ?? key),
        });
      } finally {
        clock.stop();
        // Lets work that the case started end before the next case begins.
        await new Promise((resolve) => setImmediate(resolve));
        // A case that acted under a named key may have left open orders, which later cases with this key would find.
        if (own.sends > SENDS_MAX || own.fingerprint !== key) shared = undefined;
      }
    },
  };
}

/** The parts of a gateway that are changed between cases. */
interface Current {
  readonly mapping: Mapping;
  readonly clock: JumpingClock;
  readonly journal: Journal;
  readonly v1: ScriptedV1;
  /** Own price lists for each case: they are cached by key, and several cases may use the same named key. Made on demand. */
  readonly priceLists: () => PriceLists;
  sends: number;
  fingerprint: string;
  readonly troubles: string[];
}

function openSharedGateway(hasLookupKey: boolean) {
  let now: Current | undefined;
  const current = (): Current => now!;
  // A gateway looks at the clock when it is made, before the first case.
  const clock = delegate<Clock>(() => now?.clock ?? createJumpingClock(START_MS, 0));
  const upstream: Upstream = {
    send(...call) {
      current().sends += 1;
      return current().v1.send(...call);
    },
    find: (...call) => current().v1.find(...call),
    close: async () => undefined,
  };
  // v1 accepts every key unless the case says otherwise. The check of a key goes past the case's v1, so its calls do not show it.
  const accepting: Pick<Upstream, 'find'> = { find: async () => ({ kind: 'found', body: {} }) };
  const visitors = createVisitors({ upstream: accepting, clock: () => clock.elapsed() });
  const gateway = createGateway({
    visitors,
    mapping: () => current().mapping,
    journal: delegate<Journal>(() => current().journal),
    upstream,
    priceLists: delegate<PriceLists>(() => current().priceLists()),
    keyring: { ...keyring, fingerprint: () => current().fingerprint },
    lookupKey: hasLookupKey ? new Secret('the_lookup_key_of_the_cases') : undefined,
    clock,
    random: () => 0.5,
    onTrouble: (what, error) => void current().troubles.push(`${what}: ${errorText(error)}`),
  });
  return {
    gateway,
    createPriceLists: () => createPriceLists({ upstream, visitors, clock }),
    begin: (next: Current): void => void (now = next),
  };
}

/** Makes the part on first use. */
function once<Part>(make: () => Part): () => Part {
  let made: Part | undefined;
  return () => (made ??= make());
}

/**
 * Forwards every call to the part of the current case. It has only methods, because a gateway reads no other property of these parts. A method that the part
 * does not have gives undefined.
 */
function delegate<Part extends object>(current: () => Part): Part {
  return new Proxy({} as Part, {
    get:
      (_none, name) =>
      (...values: unknown[]): unknown => {
        const part = current() as Partial<Record<PropertyKey, (...values: unknown[]) => unknown>>;
        return part[name]?.(...values);
      },
  });
}

/** A clock without waiting: when the process is idle, it jumps to the next timer. */
interface JumpingClock extends Clock {
  /** Drops all timers, and ignores new ones. */
  stop(): void;
}

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/** Each case begins at the same time of day, but `elapsed` goes on: for a shared gateway this looks as if somebody had set the clock back. */
function createJumpingClock(startMs: number, elapsedMs: number): JumpingClock {
  const timers = new Set<Timer>();
  let nowMs = startMs;
  let isStopped = false;

  // One timer runs in each turn of the event loop, so its effects are complete before the next timer runs.
  const jump = (): void => {
    let first: Timer | undefined;
    for (const timer of timers) if (first === undefined || timer.atMs < first.atMs) first = timer;
    if (first === undefined) return;
    timers.delete(first);
    nowMs = Math.max(nowMs, first.atMs);
    first.run();
  };

  return {
    now: () => nowMs,
    elapsed: () => nowMs - startMs + elapsedMs,
    after(delayMs, run) {
      if (isStopped) return () => undefined;
      const timer: Timer = { atMs: nowMs + Math.max(0, delayMs), run };
      timers.add(timer);
      setImmediate(jump);
      return () => void timers.delete(timer);
    },
    stop() {
      isStopped = true;
      timers.clear();
    },
  };
}
