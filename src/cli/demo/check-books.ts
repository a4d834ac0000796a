/**
 * Compares a reseller's books with v1's. Orders reported as sold must be charged, orders reported as failed must not, and the
 * wallet has paid for nothing else.
 */
import { request } from 'undici';
import { kobo, nairaText, parseNaira, type AmountMinor } from '../../domain/amount';
import { countConclusions, type BookedOrder } from './reseller';

/** An order as v1 reports it. */
export interface V1Order {
  readonly reference: string;
  readonly status: string;
  readonly charge: AmountMinor;
}

export type V1Books = Awaited<ReturnType<typeof readV1Books>>;

const PER_PAGE = 50;

/** The wallet of a key, and the id of its newest order, at one moment. Without orders the id is 0. */
export async function readV1Books(v1Url: string, key: string) {
  const { wallet_balance: wallet } = await askV1(`${v1Url}/balance`, key);
  const { transactions } = (await askV1(`${v1Url}/transactions?per_page=10`, key)) as unknown as Transactions;
  return { wallet: amountOf(wallet), newestId: transactions[0]?.id ?? 0 };
}

/** All orders of this key at v1 with an id above `afterId`. */
export async function readV1Orders(v1Url: string, key: string, afterId: number): Promise<readonly V1Order[]> {
  const references: string[] = [];
  for (let page = 1; ; page += 1) {
    const url = `${v1Url}/transactions?per_page=${PER_PAGE}&page=${page}`;
    const { transactions } = (await askV1(url, key)) as unknown as Transactions;
    const later = transactions.filter(({ id }) => id > afterId);
    references.push(...later.map(({ transaction_ref: reference }) => reference));
    if (later.length < PER_PAGE) break;
  }
  const orders: V1Order[] = [];
  for (const reference of new Set(references)) {
    const receipt = await askV1(`${v1Url}/receipt?reference=${encodeURIComponent(reference)}`, key);
    orders.push({ reference, status: String(receipt['status']), charge: amountOf(receipt['charge']) });
  }
  return orders;
}

/** `paidByWallet` is what the wallet has paid since the demo began. `faults` has one sentence per fault; none if the books agree. */
export function checkBooks(orders: readonly BookedOrder[], v1Orders: readonly V1Order[], paidByWallet: AmountMinor) {
  const faults: string[] = [];
  const byReference = new Map(v1Orders.map((order) => [order.reference, order]));
  const isCharged = ({ status }: V1Order): boolean => status !== 'failed';
  const claimed = new Set<string>();
  for (const { conclusion, reference, paid, id, isContradicted } of orders) {
    const known = reference === undefined ? undefined : byReference.get(reference);
    const name = reference ?? id ?? 'an order without an id';
    if (known !== undefined && conclusion !== 'failed') claimed.add(known.reference);
    if (conclusion === 'sold' && known?.status !== 'success')
      faults.push(`${name} was told as sold, and v1 says ${known?.status ?? 'nothing of it'}`);
    if (isContradicted) faults.push(`${name} was told as sold, and a later question about it as failed`);
    if (conclusion === 'failed' && known !== undefined && isCharged(known))
      faults.push(`${name} was told as failed, and v1 has charged ${nairaText(known.charge)} naira`);
    if (conclusion === 'sold' && known !== undefined && paid !== undefined && parseNaira(paid) !== known.charge)
      faults.push(`${name} was told as paid with ${paid} naira, and v1 has charged ${nairaText(known.charge)}`);
  }
  // An order whose reply was lost has no reference in the reseller's books. Each such order may be one that v1 has charged.
  const untold = orders.filter(({ conclusion, reference }) => conclusion === 'waiting' && reference === undefined).length;
  const unclaimed = v1Orders.filter((order) => isCharged(order) && !claimed.has(order.reference));
  if (unclaimed.length > untold)
    faults.push(`v1 has charged ${unclaimed.map(({ reference }) => reference).join(', ')}, which nobody was told of`);
  const charged = kobo(v1Orders.filter(isCharged).reduce((sum, { charge }) => sum + charge, 0));
  if (charged !== paidByWallet)
    faults.push(`the wallet paid ${nairaText(paidByWallet)} naira, and the orders cost ${nairaText(charged)}`);
  return { ...countConclusions(orders), charged, faults };
}

interface Transactions {
  readonly transactions: readonly { readonly id: number; readonly transaction_ref: string }[];
}

async function askV1(url: string, key: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await request(url, { headers: { authorization: `Bearer ${key}` } });
  const { data } = (await answer.body.json()) as { readonly data?: Readonly<Record<string, unknown>> };
  if (answer.statusCode !== 200 || data === undefined) throw new Error(`v1 answers ${answer.statusCode} at ${url}.`);
  return data;
}

function amountOf(value: unknown): AmountMinor {
  const amount = parseNaira(value);
  if (amount === undefined) throw new Error('v1 tells an amount that is none.');
  return amount;
}
