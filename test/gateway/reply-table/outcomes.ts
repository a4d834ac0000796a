/** Everything that can become of a request, by the kind of its operation. */
import type { OperationKind } from '../../../src/mapping/mapping';
import { operationOf, requiredField } from './samples';

/** The endings of an order, in the words of the glossary; `unknown` is an answer of v1 that is lost until patience ends. */
export const ORDER_ENDINGS = ['success', 'pending', 'unknown', 'declined', 'rejected', 'not_sent'] as const;

/** Orders that only v1 knows, asked for by their reference. */
const KNOWN_TO_V1 = ['known_to_v1_success', 'known_to_v1_pending', 'known_to_v1_failed'] as const;

const BY_KIND: Readonly<Record<OperationKind, readonly string[]>> = {
  purchase: [...ORDER_ENDINGS, 'wrong_key'],
  lookup: ['success', 'failure', 'denied_with_200', 'unavailable', 'wrong_key'],
  read: ['success', 'failure', 'unavailable', 'wrong_key'],
  list: ['success', 'failure', 'unavailable', 'wrong_key'],
  history: ['success', 'failure', 'unavailable', 'wrong_key', 'limit'],
  status: [...ORDER_ENDINGS, ...KNOWN_TO_V1, 'not_found', 'unavailable', 'wrong_key', 'limit'],
};

/** `missing_field` and `no_key` are refusals of the gateway itself: nothing of them reaches v1. */
export function outcomesOf(operation: string): readonly string[] {
  const { kind } = operationOf(operation);
  // The id of a status request stands in its address, so it cannot be absent there.
  const hasMissing = kind !== 'status' && requiredField(operation) !== undefined;
  return [...BY_KIND[kind], ...(hasMissing ? ['missing_field'] : []), 'no_key'];
}

export const REFUSALS: readonly string[] = ['missing_field', 'no_key'];

/** What of a purchase must be told as a failure: nothing is charged, or it was given back. */
export const FAILURES = ['declined', 'rejected', 'not_sent', 'wrong_key', 'missing_field', 'no_key'] as const;
