/** What a check of `doctor` gives, and what all checks look at. */
import type { Running } from '../../admin/running-router';
import type { Config } from '../../config';
import type { Secret } from '../../domain/credentials';
import type { Mapping } from '../../mapping/mapping';

export interface Finding {
  /** `well` needs nothing, a `note` is worth knowing, `mend` needs something done. */
  readonly level: 'well' | 'note' | 'mend';
  readonly what: string;
  readonly why?: string;
  readonly todo?: string;
}

export const well = (what: string): Finding => ({ level: 'well', what });
export const note = (what: string, why: string, todo: string): Finding => ({ level: 'note', what, why, todo });
export const mend = (what: string, why: string, todo: string): Finding => ({ level: 'mend', what, why, todo });

/** The gateway that answers on the admin port of these settings. */
export type Found =
  | { readonly kind: 'none' }
  /** It answers, and not to this token. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'running'; readonly running: Running; readonly readyz: ReadyAnswer; readonly metrics: string };

interface ReadyAnswer {
  readonly status: number;
  readonly waitingFor: readonly string[];
}

export interface Patient {
  readonly config: Config;
  readonly found: Found;
  /** Of v1, when it was given. */
  readonly key: Secret | undefined;
  /** In use here; undefined where the files have errors. */
  readonly mapping: Mapping | undefined;
  readonly now: () => number;
}

export type Check = (patient: Patient) => Promise<readonly Finding[]> | readonly Finding[];
