/** The mapping files of one machine, and the sets that were in use there. */
import type { Mapping } from '../../../src/mapping/mapping';
import type { MappingSet } from './fault-plan';

export interface MappingInUse {
  readonly set: MappingSet;
  readonly mapping: Mapping;
}

export class MappingFiles {
  #newest: MappingInUse;
  #turn = 0;
  readonly #kept = new Map<string, Mapping>();

  constructor(shipped: Mapping) {
    this.#newest = { set: 'shipped', mapping: shipped };
    this.put(this.#newest, 0);
  }

  /** What a process reads that starts or reloads now. */
  get newest(): MappingInUse {
    return this.#newest;
  }

  /** What comes after the files of a later turn is left out. */
  put(files: MappingInUse, turn: number): void {
    if (turn < this.#turn) return;
    this.#turn = turn;
    this.#newest = files;
    this.#kept.set(files.mapping.hash, files.mapping);
  }

  setOf(hash: string): Mapping | undefined {
    return this.#kept.get(hash);
  }
}
