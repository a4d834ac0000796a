/** All that the journal has of an order, for a person: times in his zone, and every amount in naira. */
import { nairaText, type AmountMinor } from '../domain/amount';
import type { JsonObject } from '../domain/json';
import { NOT_TOLD, TOLD_PENDING, type Order } from '../domain/order';
import type { Mapping } from '../mapping/mapping';
import { contraryEndOf, CONTRARY_WORDS } from '../watch/contrary-ends';
import { moneyOf } from '../watch/open-orders';
import type { Times } from './show-time';

export function showOrder(order: Order, mapping: Mapping, times: Times): JsonObject {
  const { openedAtMs, settledAtMs, toldAtMs, outcome, ...rest } = order;
  const { askedFor, charged, atRisk } = moneyOf(order, mapping);
  const contrary = contraryEndOf(order, mapping);
  const isKnown = mapping.operations.has(order.operation);
  const shown = {
    opened: times.iso(openedAtMs),
    settled: settledAtMs === undefined ? null : times.iso(settledAtMs),
    ...(toldAtMs === undefined ? {} : { told: showTold(toldAtMs, times) }),
    ...(contrary === undefined ? {} : { contrary_end: CONTRARY_WORDS[contrary] }),
    time_zone: times.zone,
    naira: { asked_for: showNaira(askedFor), charged: showNaira(charged), at_risk: showNaira(atRisk) },
    ...rest,
    fields: showFields(order, mapping),
    // The mapping alone knows which fields are money.
    ...(isKnown ? {} : { note: `The mapping has no ${order.operation} any more: amounts in its fields are in kobo.` }),
    ...(outcome === undefined ? {} : { outcome: showOutcome(outcome) }),
  };
  return shown as unknown as JsonObject;
}

function showTold(toldAtMs: number, times: Times): string {
  if (toldAtMs === NOT_TOLD) return 'not known';
  return toldAtMs === TOLD_PENDING ? 'pending only' : times.iso(toldAtMs);
}

function showFields({ operation, fields }: Order, mapping: Mapping): JsonObject {
  const amounts = new Set(
    mapping.operations
      .get(operation)
      ?.fields.filter(({ isAmount }) => isAmount)
      .map(({ name }) => name),
  );
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      amounts.has(name) && typeof value === 'number' ? showNaira(value as AmountMinor) : value,
    ]),
  );
}

const MONEY_OF_DELIVERY = ['charged', 'cashback', 'balanceBefore', 'balanceAfter'] as const;

function showOutcome(outcome: NonNullable<Order['outcome']>): object {
  if (!('delivery' in outcome) || outcome.delivery === undefined) return outcome;
  const { delivery } = outcome;
  const shown: Record<string, unknown> = { ...delivery };
  for (const name of MONEY_OF_DELIVERY) if (delivery[name] !== undefined) shown[name] = showNaira(delivery[name]);
  return { ...outcome, delivery: shown };
}

function showNaira(amount: AmountMinor | undefined): string | null {
  return amount === undefined ? null : nairaText(amount);
}
