/** Whether the name of a field says that it is a script's own id of an order, in whatever spelling: by the words it is made of. */

/** What an id can be of: one sale, or somebody who buys again. */
const OF_A_SALE = [
  ...['request', 'req', 'order', 'ord', 'transaction', 'trans', 'tran', 'trx', 'trnx', 'trxn', 'tranx', 'txn', 'tnx', 'tx'],
  ...['purchase', 'payment', 'sale', 'vend', 'vending'],
];
const OF_SOMEBODY = ['customer', 'user', 'agent', 'reseller', 'account'];
/** Alone they are an id of a sale. */
const REFERENCES = [
  ...['reference', 'references', 'refrence', 'referance', 'ref', 'invoice', 'uuid', 'guid', 'ident', 'identifier'],
  ...['idempotency', 'idempotent', 'nonce'],
];
const IDS = ['id', 'no', 'num', 'number', 'key', 'code'];
/** Words for the owner of an id, which do not show what the id identifies. */
const WHOSE = [
  ...['my', 'our', 'own', 'local', 'internal', 'external', 'ext', 'client', 'merchant', 'partner', 'vendor', 'api', 'site'],
  ...['unique', 'new', 'custom'],
];
const WORDS = [...OF_A_SALE, ...OF_SOMEBODY, ...REFERENCES, ...IDS, ...WHOSE].sort((a, b) => b.length - a.length);

/** `doubtful`: it may as well name a customer or a secret, of which every sale would have the same. */
export type OrderIdName = 'certain' | 'doubtful';

export function orderIdName(name: string): OrderIdName | undefined {
  const words: string[] = [];
  for (const part of partsOf(name)) {
    // `ref2` is another `ref`.
    const known = wordsOf(part.replace(/\d+$/, ''));
    if (known === undefined) return undefined;
    words.push(...known);
  }
  const has = (list: readonly string[]): boolean => words.some((word) => list.includes(word));
  const isId = has(REFERENCES) || ((has(OF_A_SALE) || words.includes('unique')) && has(IDS));
  if (!isId) return undefined;
  return words.includes('code') || (has(OF_SOMEBODY) && !has(OF_A_SALE)) ? 'doubtful' : 'certain';
}

/** `txnref` is `txn` and `ref`; undefined when a letter is left that belongs to no word. */
function wordsOf(text: string): string[] | undefined {
  if (text === '') return [];
  for (const word of WORDS) {
    const rest = text.startsWith(word) ? wordsOf(text.slice(word.length)) : undefined;
    if (rest !== undefined) return [word, ...rest];
  }
  return undefined;
}

/** The parts of a name, in small letters: `orderId`, `order_id` and `order-id` have the same. */
export function partsOf(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
}
