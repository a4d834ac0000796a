/** What goes wrong in a history, decided by its seed: how bad each part of the house is, and which fault each call meets. */
import type { Chance } from '../../chance';

export const FAULT_FAMILIES = [
  'network',
  'v1',
  'prices',
  'journal',
  'crash',
  'clock',
  'operator',
  'bounds',
  'overload',
  'limits',
] as const;
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
 * What callers.yaml has for every key. `shipped`: nothing. `crossed`: own plan numbers that mean other plans than v1's. `withdrawn`:
 * own numbers without any plan, so that sales are refused. `paused`: the key is paused. `headless`: no header is read as a request id.
 * `limited`: few purchases a minute, or few naira a day. `sandboxed`: all that
 * the key buys and asks goes to the sandbox.
 */
export const MAPPING_SETS = ['shipped', 'crossed', 'withdrawn', 'paused', 'headless'] as const;
export type MappingSet = (typeof MAPPING_SETS)[number] | 'limited' | 'sandboxed';

/** Bounds that are so small that they are reached; each absent one is the gateway's own. */
export interface SmallBounds {
  /** A table holds one entry for so many that it may have. */
  readonly tableScale: number;
  /** How many orders may be under way, be kept or be in doubt. */
  readonly ordersMax: number;
}

export interface ClockSetting {
  readonly atMs: number;
  /** The difference from the right time afterwards. */
  readonly offsetMs: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The last error is longer than the part of v1's history that is read, so only v1's own clock shows it. */
const CLOCK_ERRORS_MS = [5_000, 3 * MINUTE_MS, 6 * MINUTE_MS, 9 * MINUTE_MS, 61 * MINUTE_MS, DAY_MS, 4 * DAY_MS];
/** How long at most v1, or a database or a folder, is away, and a process stands still. In a history of lasting trouble that may be longer than a repeat counts as one. */
const SHORT_TROUBLE = { v1Ms: 2 * MINUTE_MS, awayMs: 4 * MINUTE_MS, stillMs: 90_000 };
const LASTING_TROUBLE = { v1Ms: 20 * MINUTE_MS, awayMs: 20 * MINUTE_MS, stillMs: 15 * MINUTE_MS };
const LONGEST_WAIT_MS = 40_000;
/** Covers the time from the write to the reply, and until the journal notes that the order was told. */
const DEATH_WITHIN_MS = 60;
/** The clock of a fleet's second machine is wrong by at most so much from the start. */
const SKEW_MS = 10_000;

interface Window {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface DrawnFault<Fault> {
  readonly fault: Fault | undefined;
  /** Random numbers for what the fault leaves open and for durations. */
  readonly chance: Chance;
}

/** What goes wrong at the edges of a house. Each call has a name of its own, so that one call does not change the faults of others. */
export interface Weather {
  readonly bounds: SmallBounds | undefined;
  /** When the operator reloads another set of mappings. */
  readonly reloads: readonly { readonly atMs: number; readonly set: MappingSet }[];
  /** The fault of a purchase on its way to v1; `owner` is the fingerprint of its key. */
  forSend(label: string, owner: string): DrawnFault<SendFault>;
  /** The fault of a question to v1. */
  forFind(label: string, owner: string): DrawnFault<SendFault>;
  forWrite(label: string): DrawnFault<WriteFault>;
  /** True when a read fails because the journal is away. */
  failsRead(label: string, atMs: number, machine?: number): boolean;
  /** True while the journal can be neither written nor read: the disk of its folder is away, or the way from this machine of a fleet to its database. */
  isJournalGone(atMs: number, machine?: number): boolean;
  isV1Down(atMs: number): boolean;
  isDiskFull(atMs: number): boolean;
  /** The time from the durable success of this order to the death of its process, if it dies: before its reply or just after. */
  deathAfterSale(label: string): number | undefined;
  /** The time for which this request waits at the door of an overloaded gateway. */
  waitAtDoor(label: string, atMs: number): number;
  /** The time for which this call waits for its turn at v1. */
  waitForTurn(label: string, atMs: number): number;
  /** Whether so many calls wait for v1 that this purchase is turned away. */
  isCrowded(atMs: number): boolean;
  /** Counts a fault that struck. */
  count(fault: string): void;
}

export class FaultPlan implements Weather {
  /** How often each fault struck. */
  readonly counts = new Map<string, number>();
  /** When a process ends, and how. */
  readonly ends: readonly { readonly atMs: number; readonly kind: 'crash' | 'stop' }[];
  /** When a process stands still, and for how long. */
  readonly stills: readonly { readonly atMs: number; readonly forMs: number }[];
  readonly v1Restarts: readonly number[];
  /** When v1 changes its prices. */
  readonly priceChanges: readonly number[];
  /** When a clock is set, and in a fleet which one. */
  readonly clockSettings: readonly (ClockSetting & { readonly ofFleet: 'first' | 'second' | 'database' })[];
  /** When the operator reloads another set of mappings. */
  readonly reloads: readonly { readonly atMs: number; readonly set: MappingSet }[];
  /** The error of the clock of a fleet's second machine from the start. */
  readonly skewMs: number;
  readonly bounds: SmallBounds | undefined;
  readonly #overload: readonly Window[];
  readonly #chance: Chance;
  readonly #rates: { readonly send: number; readonly find: number; readonly write: number; readonly read: number };
  readonly #v1Down: readonly Window[];
  readonly #diskFull: readonly Window[];
  readonly #journalGone: readonly Window[];
  /** When only this machine of a fleet does not reach the journal. */
  readonly #cutOff: { readonly machine: number; readonly windows: readonly Window[] };
  readonly #deathRate: number;
  #isHealed = false;

  constructor(chance: Chance, families: ReadonlySet<FaultFamily>, lengthMs: number, isLasting: boolean) {
    const longest = isLasting ? LASTING_TROUBLE : SHORT_TROUBLE;
    if (isLasting) this.count('lasting trouble');
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
    this.#v1Down = windows('v1', 2, longest.v1Ms);
    this.v1Restarts = windows('v1', 2, 200).map(({ fromMs }) => fromMs);
    this.#diskFull = windows('journal', 1, longest.awayMs);
    this.ends = windows('crash', 4, 200).map(({ fromMs }) => ({ atMs: fromMs, kind: shape.is(0.7) ? 'crash' : 'stop' }));
    this.#rates = { ...rates, read: rate('journal', 0.1) };
    this.#journalGone = windows('journal', 2, longest.awayMs);
    this.clockSettings = shape.is(0.3)
      ? windows('clock', 3, 200).map(({ fromMs }) => {
          const errorMs = shape.pick(CLOCK_ERRORS_MS);
          const ofFleet = chance.fork(`clock ${fromMs}`).pick(['first', 'second', 'database'] as const);
          return { atMs: fromMs, offsetMs: shape.is(0.5) ? errorMs : -errorMs, ofFleet };
        })
      : [];
    this.reloads = shape.is(0.3)
      ? windows('operator', 3, 200).map(({ fromMs }) => ({ atMs: fromMs, set: shape.pick(MAPPING_SETS) }))
      : [];
    this.#deathRate = rate('crash', 0.2);
    const still = chance.fork('still');
    this.stills = Array.from({ length: families.has('crash') && still.is(0.4) ? still.between(1, 3) : 0 }, () => ({
      atMs: still.below(lengthMs),
      forMs: still.skewed(200, longest.stillMs),
    }));
    const prices = chance.fork('prices');
    const changes = families.has('prices') && prices.is(0.4) ? prices.between(1, 3) : 0;
    this.priceChanges = Array.from({ length: changes }, () => prices.below(lengthMs));
    const cutOff = chance.fork('cut off');
    const times = families.has('journal') && cutOff.is(0.4) ? cutOff.between(1, 3) : 0;
    this.#cutOff = {
      machine: cutOff.below(2),
      windows: Array.from({ length: times }, () => {
        const fromMs = cutOff.below(lengthMs);
        return { fromMs, untilMs: fromMs + cutOff.skewed(200, longest.awayMs) };
      }),
    };
    const bounds = chance.fork('bounds');
    this.bounds =
      families.has('bounds') && bounds.is(0.3)
        ? { tableScale: bounds.pick([1_000, 2_000, 5_000]), ordersMax: bounds.pick([1, 2, 4, 8]) }
        : undefined;
    const overload = chance.fork('overload');
    this.#overload = Array.from({ length: families.has('overload') && overload.is(0.3) ? overload.between(1, 3) : 0 }, () => {
      const fromMs = overload.below(lengthMs);
      return { fromMs, untilMs: fromMs + overload.skewed(1_000, longest.awayMs) };
    });
    const limits = chance.fork('limits');
    if (families.has('limits')) {
      const [atMs, untilMs] = [limits.below(lengthMs), lengthMs];
      const isLimited = limits.is(0.3);
      const tries = [
        { atMs, set: 'sandboxed' as const },
        { atMs: Math.min(untilMs, atMs + limits.skewed(1_000, untilMs)), set: 'shipped' as const },
      ];
      this.reloads = [...this.reloads, ...(isLimited ? [{ atMs, set: 'limited' as const }] : limits.is(0.2) ? tries : [])].sort(
        (one, other) => one.atMs - other.atMs,
      );
    }
    this.skewMs = families.has('clock') && shape.is(0.5) ? shape.between(-SKEW_MS, SKEW_MS) : 0;
  }

  /** Ends all faults. */
  heal(): void {
    this.#isHealed = true;
  }

  forSend(label: string): DrawnFault<SendFault> {
    return this.#draw(`send ${label}`, this.#rates.send, SEND_FAULTS);
  }

  forFind(label: string): DrawnFault<SendFault> {
    return this.#draw(`find ${label}`, this.#rates.find, FIND_FAULTS);
  }

  forWrite(label: string): DrawnFault<WriteFault> {
    return this.#draw(`write ${label}`, this.#rates.write, WRITE_FAULTS);
  }

  failsRead(label: string, atMs: number, machine?: number): boolean {
    if (this.#isHealed) return false;
    const isGone = this.isJournalGone(atMs, machine);
    if (!isGone && !this.#chance.fork(`read ${label}`).is(this.#rates.read)) return false;
    this.count('read_fails');
    return true;
  }

  isJournalGone(atMs: number, machine?: number): boolean {
    if (this.#isHealed) return false;
    return isWithin(this.#journalGone, atMs) || (machine === this.#cutOff.machine && isWithin(this.#cutOff.windows, atMs));
  }

  isV1Down(atMs: number): boolean {
    return !this.#isHealed && isWithin(this.#v1Down, atMs);
  }

  isDiskFull(atMs: number): boolean {
    return !this.#isHealed && isWithin(this.#diskFull, atMs);
  }

  waitAtDoor(label: string, atMs: number): number {
    return this.#waitIn(`door ${label}`, atMs, 0.6, 'waits at the door');
  }

  waitForTurn(label: string, atMs: number): number {
    return this.#waitIn(`turn ${label}`, atMs, 0.3, 'waits for its turn');
  }

  isCrowded(atMs: number): boolean {
    const isNow = !this.#isHealed && isWithin(this.#overload, atMs) && this.#chance.fork(`crowd ${atMs}`).is(0.3);
    if (isNow) this.count('crowded');
    return isNow;
  }

  deathAfterSale(label: string): number | undefined {
    const chance = this.#chance.fork(`death ${label}`);
    return !this.#isHealed && chance.is(this.#deathRate) ? chance.below(DEATH_WITHIN_MS) : undefined;
  }

  count(fault: string): void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
  }

  #waitIn(label: string, atMs: number, rate: number, name: string): number {
    if (this.#isHealed || !isWithin(this.#overload, atMs)) return 0;
    const chance = this.#chance.fork(label);
    if (!chance.is(rate)) return 0;
    this.count(name);
    return chance.skewed(10, LONGEST_WAIT_MS);
  }

  #draw<T extends string>(label: string, rate: number, weights: Readonly<Record<T, number>>): DrawnFault<T> {
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
