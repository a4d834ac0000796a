/** One request after step 6: who asks for what, in which format, under which mapping. Every answer starts from this. */
import type { Credentials } from '../../domain/credentials';
import type { LegacyRequest, Line } from '../../domain/legacy';
import type { AfterPending, CallerKey, Mapping, Operation } from '../../mapping/mapping';
import type { CallContext, V1Call } from '../../upstream/upstream';
import type { Intent } from './canonicalise';
import type { RecognisedFamily } from './detect-format';

export interface ParsedRequest {
  readonly request: LegacyRequest;
  /** As the script meets it: in the words of its family, if it is of one. */
  readonly mapping: Mapping;
  readonly operation: Operation;
  readonly format: string;
  /** What decided the format. */
  readonly reason: string;
  readonly family: RecognisedFamily | undefined;
  readonly intent: Intent;
  /** Of an order's status: every id that the address can be read as, likeliest first. */
  readonly readings: readonly string[];
  /** What v1 is to be asked; undefined for lists, and for a status, which asks by the journal's reference. */
  readonly call: V1Call | undefined;
  readonly credentials: Credentials;
  /** The request logged in with `Authorization: Basic`. */
  readonly isBasic: boolean;
  readonly callerKey: CallerKey | undefined;
  /** Over which the caller waits. */
  readonly line: Line;
  /** How long the request had waited when it was handed in: milliseconds. */
  readonly waitedMs: number;
  /** How long this caller waits for the end of an order, from then on. */
  readonly patienceMs: number;
  /** What is done with the order once its script has heard "pending". */
  readonly afterPending: AfterPending;
}

/** Who asks, from where, and how long v1 may take to be read. */
export type Reader = Pick<ParsedRequest, 'credentials' | 'request' | 'mapping'>;

export function readContextOf({ credentials, request, mapping }: Reader): CallContext {
  const { clientAddress, trace } = request;
  return { credentials, clientAddress, timeoutMs: mapping.timing.read, trace };
}
