/** A row of a search, an order or a refused request, as lists and exports show it: its numbers are masked. */
import type { Order } from '../domain/order';
import { referenceOf, type Outcome } from '../domain/outcome';
import { setOfOrder, type Sets } from '../gateway/read/earlier-set';
import { callerName } from '../mapping/caller-name';
import type { RefusedNote } from './note';
import { maskNumber, numbersIn } from './number-keys';
import { moneyOf, type OrderMoney } from './order-money';

export type FoundRow =
  { readonly kind: 'order'; readonly order: Order } | { readonly kind: 'refused'; readonly refused: RefusedNote };

const NUMBERS_SHOWN = 2;

/** What is not known, or does not belong to this kind of row, is an empty text. */
export function rowOf(row: FoundRow, sets: Sets) {
  const { mapping } = sets;
  if (row.kind === 'refused') {
    const { atMs, owner, address = '', operation = '', numbers, requestId = '', code, told } = row.refused;
    const money: OrderMoney = {};
    return {
      ...{ atMs, owner, operation, outcome: 'refused' as const, money, requestId, reference: '', code, told },
      caller: owner === undefined ? address : callerName(mapping, owner),
      numbers: numbers.slice(0, NUMBERS_SHOWN).map(maskNumber).join(' '),
    };
  }
  const { openedAtMs: atMs, owner, operation, outcome, fields, requestId } = row.order;
  const kind: Outcome['kind'] | 'open' = outcome?.kind ?? 'open';
  const numbers = numbersIn(setOfOrder(row.order, sets).operations.get(operation), fields).slice(0, NUMBERS_SHOWN);
  return {
    ...{ atMs, owner, operation, outcome: kind, money: moneyOf(row.order, sets), requestId },
    ...{ reference: referenceOf(outcome) ?? '', code: '', told: '' },
    caller: callerName(mapping, owner),
    numbers: numbers.map(({ text }) => maskNumber(text)).join(' '),
  };
}

export type ShownRow = ReturnType<typeof rowOf>;
