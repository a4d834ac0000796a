/** A journal in memory, for tests, rehearsals and simulations: its orders are lost when the process ends. */
import { GatewayError } from '../domain/errors';
import type { Order } from '../domain/order';
import { referenceOf } from '../domain/outcome';
import type { Journal, UnsettledOptions } from './journal';
import {
  byTime,
  byTimeBack,
  checkIntent,
  createOrderNumbers,
  decideOpening,
  firstNumberAt,
  isUnsettled,
  isUntold,
  settleAttempt,
  tellOrder,
  withoutGoods,
} from './order-life';

/** The orders of one owner. */
interface Ledger {
  readonly byRequestId: Map<string, Order>;
  readonly byNumber: Map<number, string>;
  readonly byReference: Map<string, string>;
  readonly unsettled: Set<string>;
}

/** Every operation runs in one turn of the event loop, so it is atomic. */
export function createMemoryJournal(): Journal {
  const ledgers = new Map<string, Ledger>();
  const takeNumber = createOrderNumbers();
  let isOpen = true;

  const ledgerOf = (owner: string): Ledger => {
    const known = ledgers.get(owner);
    if (known !== undefined) return known;
    const ledger: Ledger = { byRequestId: new Map(), byNumber: new Map(), byReference: new Map(), unsettled: new Set() };
    ledgers.set(owner, ledger);
    return ledger;
  };
  return {
    async open(intent) {
      if (!isOpen) throw new GatewayError('journal_unavailable');
      checkIntent(intent);
      const ledger = ledgerOf(intent.owner);
      const opened = decideOpening(ledger.byRequestId.get(intent.requestId), intent, () =>
        takeNumber(intent.openedAtMs, (number) => ledger.byNumber.has(number)),
      );
      if (opened.kind === 'opened' || opened.kind === 'reopened') write(ledger, opened.order);
      return opened;
    },
    async settle(owner, requestId, latest, atMs, attempt) {
      if (!isOpen) throw new Error('The journal is closed.');
      const ledger = ledgers.get(owner);
      const order = at(ledger, requestId);
      if (ledger === undefined || order === undefined)
        throw new Error('The journal has no order with this request id to settle.');
      const settled = settleAttempt(order, withoutGoods(latest), atMs, attempt);
      if (settled !== order) write(ledger, settled);
      return settled;
    },
    async tell(owner, requestId, toldAtMs, isDue) {
      if (!isOpen) throw new Error('The journal is closed.');
      const ledger = ledgers.get(owner);
      const order = at(ledger, requestId);
      if (ledger !== undefined && order !== undefined && isDue?.(order) !== false) write(ledger, tellOrder(order, toldAtMs));
    },
    find: async (owner, requestId) => at(ledgers.get(owner), requestId),
    findByReference: async (owner, reference) => withReference(ledgers.get(owner), reference),
    listByReference: async (reference) => [...ledgers.values()].flatMap((ledger) => withReference(ledger, reference) ?? []),
    findByNumber: async (owner, number) => at(ledgers.get(owner), ledgers.get(owner)?.byNumber.get(number)),
    hasReference: async (owner) => (ledgers.get(owner)?.byReference.size ?? 0) > 0,
    async listUnsettled({ owner, ...span }) {
      const wanted = owner === undefined ? [...ledgers.values()] : [ledgers.get(owner)];
      const orders = wanted.flatMap((ledger) => [...(ledger?.unsettled ?? [])].map((requestId) => at(ledger, requestId)!));
      return inSpan(orders, span);
    },
    async listUntold({ owner, ...span }) {
      return inSpan([...(ledgers.get(owner)?.byRequestId.values() ?? [])].filter(isUntold), span);
    },
    async *list(span) {
      const orders = [...ledgers.values()].flatMap((ledger) => [...ledger.byRequestId.values()]);
      yield* inSpan(orders, span);
    },
    async *listOfOwner({ owner, fromMs = 0, beforeNumber = Infinity, newestFirst = false, limit }) {
      const orders = [...(ledgers.get(owner)?.byRequestId.values() ?? [])];
      const wanted = orders.filter(({ number }) => number >= firstNumberAt(fromMs) && number < beforeNumber);
      yield* wanted.sort((a, b) => (newestFirst ? b.number - a.number : a.number - b.number)).slice(0, limit);
    },
    owners: async () => [...ledgers.keys()],
    isWritable: () => isOpen,
    async close() {
      isOpen = false;
    },
  };
}

function inSpan(
  orders: readonly Order[],
  { fromMs = 0, untilMs = Infinity, limit, newestFirst = false }: UnsettledOptions,
): readonly Order[] {
  return orders
    .filter(({ openedAtMs }) => openedAtMs >= fromMs && openedAtMs < untilMs)
    .sort(newestFirst ? byTimeBack : byTime)
    .slice(0, limit);
}

function write(ledger: Ledger, order: Order): void {
  ledger.byRequestId.set(order.requestId, order);
  ledger.byNumber.set(order.number, order.requestId);
  const reference = referenceOf(order.outcome);
  if (reference !== undefined && !ledger.byReference.has(reference)) ledger.byReference.set(reference, order.requestId);
  if (isUnsettled(order)) ledger.unsettled.add(order.requestId);
  else ledger.unsettled.delete(order.requestId);
}

function withReference(ledger: Ledger | undefined, reference: string): Order | undefined {
  return at(ledger, ledger?.byReference.get(reference));
}

function at(ledger: Ledger | undefined, requestId: string | undefined): Order | undefined {
  return requestId === undefined ? undefined : ledger?.byRequestId.get(requestId);
}
