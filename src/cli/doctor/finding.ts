/** The result of a check of `doctor`, and the input of all checks. */
import type { Running } from '../../admin/read-routers';
import type { Config } from '../../config';
import type { Secret } from '../../domain/credentials';
import type { Mapping } from '../../mapping/mapping';

export interface Finding {
  /** `well`: nothing to do. `note`: worth knowing. `mend`: something must be done. */
  readonly level: 'well' | 'note' | 'mend';
  readonly what: string;
  readonly why?: string;
  readonly todo?: string;
}

export const well = (what: string): Finding => ({ level: 'well', what });
export const note = (what: string, why: string, todo: string): Finding => ({ level: 'note', what, why, todo });
export const mend = (what: string, why: string, todo: string): Finding => ({ level: 'mend', what, why, todo });

/** The gateway that answers on the admin port of these settings. */
export type FoundGateway =
  | { readonly kind: 'none' }
  /** A gateway answers, but rejects the ADMIN_TOKEN of these settings. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'running'; readonly running: Running; readonly readyz: ReadyAnswer; readonly metrics: string };

interface ReadyAnswer {
  readonly status: number;
  readonly waitingFor: readonly string[];
}

export interface CheckInput {
  readonly config: Config;
  readonly found: FoundGateway;
  /** The v1 key, if the operator gave one. */
  readonly key: Secret | undefined;
  /** The mapping of these settings; undefined if its files have errors. */
  readonly mapping: Mapping | undefined;
  readonly now: () => number;
}

/** One result of a check, or several. */
export type Found = Finding | readonly Finding[];

export type Check = (input: CheckInput) => Promise<Found> | Found;
