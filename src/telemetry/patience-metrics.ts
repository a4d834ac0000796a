/** Metrics of scripts that give up before their answer, and of what they send again. */
import { Counter, Gauge, type Registry } from 'prom-client';

export interface PatienceMetrics {
  /** A purchase that repeated another request, by how it was answered. */
  repeated(repeat: string): void;
  /** A script hung up before the reply to its purchase, by kind of caller. */
  hungUp(kind: string): void;
  /** How many keys are held below the patience of their kind, because their scripts hang up earlier. */
  setLearnt(keysByKind: ReadonlyMap<string, number>): void;
}

export function createPatienceMetrics(registers: Registry[]): PatienceMetrics {
  const repeats = new Counter({
    name: 'compat_repeats_total',
    help: 'Purchases that repeat another request: joined to an order under way or never told, or replayed as it was sold',
    labelNames: ['repeat'],
    registers,
  });
  const hangUps = new Counter({
    name: 'compat_hang_ups_total',
    help: 'Scripts that hung up before the reply to a purchase, by kind of caller',
    labelNames: ['kind'],
    registers,
  });
  const learnt = new Gauge({
    name: 'compat_learnt_patience_keys',
    help: 'Keys held below the patience of their kind because their scripts hang up earlier, by kind of caller',
    labelNames: ['kind'],
    aggregator: 'max',
    registers,
  });
  return {
    repeated: (repeat) => repeats.inc({ repeat }),
    hungUp: (kind) => hangUps.inc({ kind }),
    setLearnt(keysByKind) {
      learnt.reset();
      for (const [kind, keys] of keysByKind) learnt.set({ kind }, keys);
    },
  };
}
