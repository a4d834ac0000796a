/** What every `orders` command needs: the journal, beside the running gateway, the mapping by which orders are read, and an order as JSON. */
import type { Config } from '../config';
import { nairaText, type AmountMinor } from '../domain/amount';
import { textOf, type JsonObject } from '../domain/json';
import { NOT_TOLD, TOLD_PENDING, type Order } from '../domain/order';
import { createTimes, type Times } from '../domain/times';
import { setOfOrder, type Sets } from '../gateway/read/earlier-set';
import type { Journal } from '../journal/journal';
import { formatProblems } from '../mapping/problem';
import { callerName } from '../mapping/caller-name';
import type { Mapping, Operation } from '../mapping/mapping';
import { openSetHistory } from '../mapping/set-history';
import { contraryEndOf, CONTRARY_WORDS, moneyOf } from '../orders/order-money';
import { openJournalBeside } from '../start/configured-stores';
import { checkFolderUnlessKnown } from './known-set';
import { readConfig } from './process';

export interface Opened extends Sets {
  readonly config: Config;
  readonly journal: Journal;
  readonly times: Times;
}

export async function withJournal(work: (opened: Opened) => Promise<void>): Promise<void> {
  const { config } = readConfig();
  const mapping = readMappingForOrders(config);
  const journal = await openJournalBeside(config);
  try {
    await work({
      config,
      journal,
      mapping,
      setOf: openSetHistory(config.dataDir).mappingOf,
      times: createTimes(config.timeZone),
    });
  } finally {
    await journal.close();
  }
}

/** The orders with this id in any of its spellings. Reads the whole journal. */
export async function searchJournal(id: string, journal: Journal): Promise<readonly Order[]> {
  const found: Order[] = [];
  const all = journal.list({ fromMs: 0, untilMs: Infinity, limit: Number.MAX_SAFE_INTEGER, onUnreadable: () => undefined });
  for await (const order of all) if (isNamed(order, id)) found.push(order);
  return found;
}

/** Warns that an order cannot be read. The other orders are still shown, but the operator must know that some are missing. */
export function onUnreadable({ message }: Error): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/** All that the journal has of an order: times in the operator's zone, every amount in naira. */
export function showOrder(order: Order, sets: Sets, times: Times): JsonObject {
  const { openedAtMs, settledAtMs, toldAtMs, outcome, ...rest } = order;
  const { askedFor, charged, atRisk } = moneyOf(order, sets);
  const contrary = contraryEndOf(order, sets);
  const operation = setOfOrder(order, sets).operations.get(order.operation);
  const shown = {
    opened: times.iso(openedAtMs),
    settled: settledAtMs === undefined ? null : times.iso(settledAtMs),
    ...(toldAtMs === undefined ? {} : { told: showTold(toldAtMs, times) }),
    ...(contrary === undefined ? {} : { contrary_end: CONTRARY_WORDS[contrary] }),
    time_zone: times.zone,
    caller: callerName(sets.mapping, order.owner),
    naira: { asked_for: showNaira(askedFor), charged: showNaira(charged), at_risk: showNaira(atRisk) },
    ...rest,
    fields: showFields(order, operation),
    // Only the mapping says which fields are amounts.
    ...(operation === undefined
      ? { note: `The mapping has no ${order.operation} any more: amounts in its fields are in kobo.` }
      : {}),
    ...(outcome === undefined ? {} : { outcome: showOutcome(outcome) }),
  };
  return shown as unknown as JsonObject;
}

/** Whether the order has this id: the request id of its script in any spelling, or the id of our replies. */
function isNamed({ requestId, number, echo }: Order, id: string): boolean {
  return requestId === id || String(number) === id || Object.values(echo).some((sent) => textOf(sent) === id);
}

function showTold(toldAtMs: number, times: Times): string {
  if (toldAtMs === NOT_TOLD) return 'not known';
  return toldAtMs === TOLD_PENDING ? 'pending only' : times.iso(toldAtMs);
}

function showFields({ fields }: Order, operation: Operation | undefined): JsonObject {
  const amounts = new Set(operation?.fields.filter(({ isAmount }) => isAmount).map(({ name }) => name));
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

export function showNaira(amount: AmountMinor | undefined): string | null {
  return amount === undefined ? null : nairaText(amount);
}

/**
 * The mapping by which past orders are shown: that of the folder. Orders must be readable during an edit too. If the folder has
 * errors, the last good set is used, as the gateway does, and standard error reports it.
 */
function readMappingForOrders({ mappingsDir, dataDir }: Config): Mapping {
  const { mapping, problems } = checkFolderUnlessKnown(mappingsDir, dataDir);
  if (mapping !== undefined) return mapping;
  const lastGood = openSetHistory(dataDir).lastGood()?.mapping;
  if (lastGood === undefined) throw new Error(formatProblems(problems));
  process.stderr.write(
    `The mapping files cannot be used (see \`compat-gateway check\`); orders are read by the last good set, ${lastGood.hash}.\n`,
  );
  return lastGood;
}
