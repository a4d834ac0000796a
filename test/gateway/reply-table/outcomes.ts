/** All outcomes of a request, by the kind of its operation. */
import type { OperationKind } from '../../../src/mapping/mapping';
import { operationOf, requiredField } from './samples';

/** The outcomes of an order. In `unknown` v1's answer is lost until the patience ends. */
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

/** The gateway itself refuses `missing_field` and `no_key`; v1 gets no call. */
export function outcomesOf(operation: string): readonly string[] {
  const { kind } = operationOf(operation);
  // The id of a status request is part of its address and so never missing.
  const hasMissing = kind !== 'status' && requiredField(operation) !== undefined;
  return [...BY_KIND[kind], ...(hasMissing ? ['missing_field'] : []), 'no_key'];
}

export const REFUSALS: readonly string[] = ['missing_field', 'no_key'];

/** Outcomes of a purchase that must be told as a failure: nothing is charged, or the charge was refunded. */
export const FAILURES = ['declined', 'rejected', 'not_sent', 'wrong_key', 'missing_field', 'no_key'] as const;
