/** Plays a case: a gateway of its own, with a journal in memory, a v1 that answers from a script, and a time that never waits. */
import { pause, type Clock } from '../../domain/clock';
import { Secret } from '../../domain/credentials';
import { errorText } from '../../domain/shown-words';
import { createGateway, type Gateway } from '../../gateway/gateway';
import { createKeyring } from '../../gateway/read/keyring';
import { createMemoryJournal } from '../../journal/memory-journal';
import type { Mapping } from '../../mapping/mapping';
import { createPriceLists } from '../../price-lists/price-lists';
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

/** The time at which every case begins. */
export const START_MS = Date.UTC(2026, 2, 1, 10, 0, 0);

// The same secret and the same hour in every run give the same tokens. It guards nothing.
const keyring = createKeyring(new Secret('the secret of the cases, which guards nothing'), { days: 1, now: () => START_MS });

/** v1 accepts every key unless the case says otherwise. The check of a key goes past the case's v1, so its calls do not show it. */
const ACCEPTING: Pick<Upstream, 'find'> = { find: async () => ({ kind: 'found', body: {} }) };

interface StageParts {
  readonly mapping: Mapping;
  readonly script: Script;
  /** The fingerprint of the script's key. Replies show its first eight digits. */
  readonly fingerprint: string;
  /** Whether scripts without a key may look up meters and smartcards. Default: true. */
  readonly hasLookupKey?: boolean;
}

/** Plays one case: `act` gets a new gateway. */
export async function playOnStage<Result>(
  { mapping, script, fingerprint, hasLookupKey = true }: StageParts,
  act: (surroundings: CaseSurroundings) => Promise<Result>,
): Promise<Result> {
  const clock = createJumpingClock(START_MS);
  const v1 = createScriptedV1(script, clock);
  const visitors = createVisitors({ upstream: ACCEPTING, clock: () => clock.elapsed() });
  const troubles: string[] = [];
  let actor = fingerprint;
  const gateway = createGateway({
    visitors,
    mapping: () => mapping,
    journal: createMemoryJournal(),
    upstream: v1,
    priceLists: createPriceLists({ upstream: v1, visitors, clock }),
    keyring: { ...keyring, fingerprint: () => actor },
    lookupKey: hasLookupKey ? new Secret('the_lookup_key_of_the_cases') : undefined,
    clock,
    random: () => 0.5,
    onTrouble: (what, error) => void troubles.push(`${what}: ${errorText(error)}`),
  });
  try {
    return await act({
      gateway,
      v1,
      clock,
      clientAddress: '10.0.0.1',
      troubles,
      wait: (delayMs) => pause(clock, delayMs),
      actAs: (other) => void (actor = other ?? fingerprint),
    });
  } finally {
    clock.stop();
  }
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

function createJumpingClock(startMs: number): JumpingClock {
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
    elapsed: () => nowMs - startMs,
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
