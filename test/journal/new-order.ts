/** An intent like those of a format B script; a test names only the parts that matter. */
import type { NewOrder } from '../../src/domain/order';

export const OPENED_AT_MS = Date.UTC(2026, 10, 21, 3);

export function newOrder(changes: Partial<NewOrder> = {}): NewOrder {
  return {
    owner: '0123456789abcdef0123456789abcdef',
    requestId: 'r1',
    operation: 'buy_airtime',
    format: 'b',
    fields: { phone: '08030000001', network: 'MTN', amount: 10_000 },
    echo: { 'request-id': 'r1' },
    contentHash: 'hash-1',
    trail: { mapping: '0123456789abcdef', reason: 'field mobile_number', spellings: { phone: 'mobile_number' } },
    openedAtMs: OPENED_AT_MS,
    ...changes,
  };
}
