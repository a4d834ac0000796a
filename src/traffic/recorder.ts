/**
 * Watches requests from outside and counts what they looked like. On the request path there is only memory: what was
 * seen goes to the store every few seconds and at the stop, so a killed gateway forgets its last seconds and no more.
 */
import type { Clock } from '../domain/clock';
import type { LegacyRequest } from '../domain/legacy';
import type { Traffic } from '../domain/traffic';
import type { Mapping } from '../mapping/mapping';
import { noteRequest, type Walked } from './note-request';
import { trafficOf } from './traffic-of';
import type { TrafficStore } from './traffic-store';
import { createWaiting } from './waiting';

export interface TrafficRecorder {
  /** Never throws and never waits. */
  record(request: LegacyRequest, walked: Walked): void;
  read(): Promise<Traffic>;
  /** Starts anew. */
  forget(): Promise<void>;
  /** Writes down what there is. */
  stop(): Promise<void>;
}

export interface RecorderOptions {
  readonly mapping: () => Mapping;
  readonly clock: Clock;
  /** May take its time; until then everything waits in memory. Never rejects. */
  readonly store: Promise<TrafficStore>;
  readonly onTrouble: (error: unknown) => void;
  /** After each writing: shapes that are kept, and requests that had no room since the last. */
  readonly onWritten?: (shapes: number, forgotten: number) => void;
}

export const FLUSH_EVERY_MS = 5_000;
export function createRecorder(options: RecorderOptions): TrafficRecorder {
  const { clock, onTrouble } = options;
  let waiting = createWaiting();
  let flushing: Promise<void> = Promise.resolve();
  let cancel: (() => void) | undefined;
  let hasFailed = false;
  let isStopped = false;

  const write = async (): Promise<void> => {
    const taken = waiting;
    if (taken.isEmpty()) return;
    waiting = createWaiting();
    try {
      const store = await options.store;
      const added = await store.add(taken.tallies(), taken.forgotten(), clock.now());
      options.onWritten?.(added.shapes, taken.forgotten() + added.forgotten);
      hasFailed = false;
    } catch (error) {
      // Said once until it works again; what was seen waits for the next time, as far as there is room.
      if (!hasFailed) onTrouble(error);
      hasFailed = true;
      waiting.take(taken);
    }
  };
  const flush = (): Promise<void> => (flushing = flushing.then(write));
  const schedule = (): void => {
    if (cancel !== undefined || isStopped) return;
    cancel = clock.after(FLUSH_EVERY_MS, () => {
      cancel = undefined;
      void flush().then(() => (waiting.isEmpty() ? undefined : schedule()));
    });
  };

  return {
    record(request, walked) {
      try {
        noteRequest(request, walked, options.mapping(), clock.now(), waiting);
        schedule();
      } catch (error) {
        onTrouble(error);
      }
    },
    async read() {
      await flush();
      return trafficOf(await (await options.store).read());
    },
    async forget() {
      await flush();
      await (await options.store).forget(clock.now());
    },
    async stop() {
      isStopped = true;
      cancel?.();
      await flush();
    },
  };
}
