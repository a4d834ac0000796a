/** What goes wrong in a history, decided by its seed: how bad each part of the house is, and what befalls each single call. */
import type { Chance } from '../engine/chance';

export const FAULT_FAMILIES = ['network', 'v1', 'journal', 'crash', 'clock', 'operator'] as const;
export type FaultFamily = (typeof FAULT_FAMILIES)[number];

export const SEND_FAULTS = {
  refused: 3,
  connect_timeout: 1,
  lost_request: 3,
  swallowed_request: 2,
  lost_reply: 4,
  swallowed_reply: 2,
  slow_reply: 4,
  late_request: 4,
  twice_first_heard: 3,
  twice_second_heard: 3,
  cut_reply: 2,
  garbage_reply: 2,
  limit_page: 2,
  error_after: 3,
  error_before: 2,
};
export type SendFault = keyof typeof SEND_FAULTS;

export const FIND_FAULTS = {
  refused: 3,
  lost_request: 3,
  swallowed_reply: 2,
  slow_reply: 3,
  cut_reply: 1,
  garbage_reply: 1,
  limit_page: 2,
  error_before: 2,
} satisfies Partial<Record<SendFault, number>>;

const WRITE_FAULTS = { fails: 3, fails_but_durable: 3, slow: 3 };
export type WriteFault = keyof typeof WRITE_FAULTS;

/**
 * What callers.yaml says of every key: nothing; numbers of plans that mean others than v1's; no number of a plan at all, so that the
 * words of its sales are refused; that it is paused.
 */
export const MAPPING_SETS = ['shipped', 'crossed', 'withdrawn', 'paused'] as const;
export type MappingSet = (typeof MAPPING_SETS)[number];

/** Somebody sets the clock of the machine that the gateways run on. */
export interface ClockSetting {
  readonly atMs: number;
  /** How far it is from the right time then. */
  readonly offsetMs: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The last is more than what v1's history is read back for: only v1's own clock tells of it. */
const CLOCK_ERRORS_MS = [5_000, 3 * MINUTE_MS, 6 * MINUTE_MS, 9 * MINUTE_MS, 61 * MINUTE_MS, DAY_MS, 4 * DAY_MS];
/** A database or a folder that goes away does so for seconds or for minutes. */
const LONGEST_AWAY_MS = 4 * MINUTE_MS;
/** From the write to the reply, and until what was told is written down. */
const DEATH_WITHIN_MS = 60;
/** How far apart two processes may take the time to be. */
export const SKEW_MS = 10_000;

interface Window {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Fate<Fault> {
  readonly fault: Fault | undefined;
  /** For what the fault leaves open, and for how long things take. */
  readonly chance: Chance;
}

/** What goes wrong on the edges of a house: by each call's own name, so that one call does not change what befalls another. */
export interface Weather {
  /** When somebody sets the clock of the gateways' machine. */
  readonly clockSettings: readonly ClockSetting[];
  /** What befalls a purchase on its way to v1; `owner` is the fingerprint of its key. */
  forSend(label: string, owner: string): Fate<SendFault>;
  /** What befalls a question to v1. */
  forFind(label: string, owner: string): Fate<SendFault>;
  forWrite(label: string): Fate<WriteFault>;
  /** True when a read finds no journal. */
  failsRead(label: string, atMs: number): boolean;
  /** Neither written nor read: a folder on a disk that went away. */
  isJournalGone(atMs: number): boolean;
  isV1Down(atMs: number): boolean;
  isDiskFull(atMs: number): boolean;
  /** How long after it has written down that this order was sold its process dies, if it does: before its reply or just after. */
  deathAfterSale(label: string): number | undefined;
  /** Takes note that a fault struck. */
  count(fault: string): void;
}

export class FaultPlan implements Weather {
  /** How often each fault struck. */
  readonly counts = new Map<string, number>();
  /** When a process ends, and how. */
  readonly ends: readonly { readonly atMs: number; readonly kind: 'crash' | 'stop' }[];
  readonly v1Restarts: readonly number[];
  readonly clockSettings: readonly ClockSetting[];
  /** When the operator puts another set of mappings into use. */
  readonly reloads: readonly { readonly atMs: number; readonly set: MappingSet }[];
  /** By process slot: how far its clock is from that of the machine. */
  readonly skewsMs: readonly number[];
  readonly #chance: Chance;
  readonly #rates: { readonly send: number; readonly find: number; readonly write: number; readonly read: number };
  readonly #v1Down: readonly Window[];
  readonly #diskFull: readonly Window[];
  readonly #journalGone: readonly Window[];
  readonly #deathRate: number;
  #isHealed = false;

  constructor(chance: Chance, families: ReadonlySet<FaultFamily>, lengthMs: number) {
    this.#chance = chance.fork('calls');
    const shape = chance.fork('shape');
    const rate = (family: FaultFamily, most: number): number => {
      const drawn = shape.is(0.25) ? 0 : shape.next() ** 2 * most;
      return families.has(family) ? drawn : 0;
    };
    const windows = (family: FaultFamily, most: number, longestMs: number): Window[] => {
      const drawn = Array.from({ length: shape.below(most + 1) }, () => {
        const fromMs = shape.below(lengthMs);
        return { fromMs, untilMs: fromMs + shape.skewed(200, longestMs) };
      });
      return families.has(family) ? drawn : [];
    };
    const rates = { send: rate('network', 0.7), find: rate('network', 0.5), write: rate('journal', 0.3) };
    this.#v1Down = windows('v1', 2, 120_000);
    this.v1Restarts = windows('v1', 2, 200).map(({ fromMs }) => fromMs);
    this.#diskFull = windows('journal', 1, LONGEST_AWAY_MS);
    this.ends = windows('crash', 4, 200).map(({ fromMs }) => ({ atMs: fromMs, kind: shape.is(0.7) ? 'crash' : 'stop' }));
    this.#rates = { ...rates, read: rate('journal', 0.1) };
    this.#journalGone = windows('journal', 2, LONGEST_AWAY_MS);
    this.clockSettings = shape.is(0.3)
      ? windows('clock', 3, 200).map(({ fromMs }) => {
          const errorMs = shape.pick(CLOCK_ERRORS_MS);
          return { atMs: fromMs, offsetMs: shape.is(0.5) ? errorMs : -errorMs };
        })
      : [];
    this.reloads = shape.is(0.3)
      ? windows('operator', 3, 200).map(({ fromMs }) => ({ atMs: fromMs, set: shape.pick(MAPPING_SETS) }))
      : [];
    this.#deathRate = rate('crash', 0.2);
    this.skewsMs = [0, families.has('clock') && shape.is(0.5) ? shape.between(-SKEW_MS, SKEW_MS) : 0];
  }

  /** From here on nothing goes wrong any more. */
  heal(): void {
    this.#isHealed = true;
  }

  forSend(label: string): Fate<SendFault> {
    return this.#draw(`send ${label}`, this.#rates.send, SEND_FAULTS);
  }

  forFind(label: string): Fate<SendFault> {
    return this.#draw(`find ${label}`, this.#rates.find, FIND_FAULTS);
  }

  forWrite(label: string): Fate<WriteFault> {
    return this.#draw(`write ${label}`, this.#rates.write, WRITE_FAULTS);
  }

  failsRead(label: string, atMs: number): boolean {
    if (this.#isHealed) return false;
    const isGone = this.isJournalGone(atMs);
    if (!isGone && !this.#chance.fork(`read ${label}`).is(this.#rates.read)) return false;
    this.count('read_fails');
    return true;
  }

  isJournalGone(atMs: number): boolean {
    return !this.#isHealed && isWithin(this.#journalGone, atMs);
  }

  isV1Down(atMs: number): boolean {
    return !this.#isHealed && isWithin(this.#v1Down, atMs);
  }

  isDiskFull(atMs: number): boolean {
    return !this.#isHealed && isWithin(this.#diskFull, atMs);
  }

  deathAfterSale(label: string): number | undefined {
    const chance = this.#chance.fork(`death ${label}`);
    return !this.#isHealed && chance.is(this.#deathRate) ? chance.below(DEATH_WITHIN_MS) : undefined;
  }

  count(fault: string): void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
  }

  #draw<T extends string>(label: string, rate: number, weights: Readonly<Record<T, number>>): Fate<T> {
    const chance = this.#chance.fork(label);
    if (this.#isHealed || !chance.is(rate)) return { fault: undefined, chance };
    const fault = chance.draw(weights);
    this.count(fault);
    return { fault, chance };
  }
}

function isWithin(windows: readonly Window[], atMs: number): boolean {
  return windows.some(({ fromMs, untilMs }) => atMs >= fromMs && atMs < untilMs);
}
