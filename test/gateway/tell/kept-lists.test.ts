import type { JsonObject } from '../../../src/domain/json';
import type { LegacyReply } from '../../../src/domain/legacy';
import { type CatalogLists, catalogListsOf } from '../../../src/gateway/read/catalog-lists';
import { keptList, type ListRequest } from '../../../src/gateway/tell/kept-lists';
import { plainCallerKey } from '../../../src/mapping/compile-callers';
import { readCatalog, type PriceList } from '../../../src/price-lists/price-lists';
import { editedFiles, mappingOf, shippedMapping } from '../../mapping/mapping-set';
import { dataPlan } from '../../price-lists/data-plan';
import { legacyRequest } from '../legacy-request';
import { openWalkHouse } from '../walk-house';

const mapping = shippedMapping();
const OWNER = 'f'.repeat(32);

const plan = (id: number, price: number): JsonObject =>
  dataPlan(id, { network: id % 2 === 0 ? 'GLO' : 'MTN', selling_price: String(price) });
const priceList = (price = 480, rows = 2): PriceList =>
  readCatalog({ data: { data_plans: Array.from({ length: rows }, (_, index) => plan(index + 1, price)) } })!;
const listsOf = (list = priceList()): CatalogLists => catalogListsOf(list, mapping);

const REQUEST: ListRequest = {
  mapping,
  callerKey: undefined,
  operation: mapping.operations.get('list_data_plans')!,
  format: 'a',
  family: undefined,
  intent: { values: { network: 'MTN' } } as unknown as ListRequest['intent'],
};
const asking = (values: JsonObject): ListRequest => ({ ...REQUEST, intent: { values } as unknown as ListRequest['intent'] });

let made = 0;
beforeEach(() => (made = 0));
const ask = (lists: CatalogLists, request: ListRequest = REQUEST, text = `text ${made}`): LegacyReply =>
  keptList(lists, request, () => ({ status: 200, body: [], text: (made++, text) }));

test('a second request alike gets the reply that the first one got', () => {
  const lists = listsOf();
  expect(ask(lists)).toBe(ask(lists, { ...REQUEST }));
  expect(made).toBe(1);
});

const key = plainCallerKey(OWNER);
test.each<[string, Partial<ListRequest>]>([
  ['fields', asking({ network: 'GLO' })],
  ['operation', { operation: mapping.operations.get('list_exams')! }],
  ['format', { format: 'b' }],
  ['family', { family: { id: 'plain-php' } as ListRequest['family'] }],
  ['entry of callers.yaml', { callerKey: key }],
  ['set of mappings of the same hash', { mapping: { ...mapping } }],
])('a request with another %s gets a reply of its own, and so does the first one after it', (_title, change) => {
  const lists = listsOf(priceList(480, 20));
  const first = ask(lists).text;
  expect(ask(lists, { ...REQUEST, ...change }).text).not.toBe(first);
  // Only a set of the same hash takes the place of the first reply.
  expect(ask(lists).text).toBe(change.mapping === undefined || change.mapping === mapping ? first : 'text 2');
});

test('an entry of callers.yaml that has changed gets a new reply', () => {
  const lists = listsOf();
  const first = ask(lists, { ...REQUEST, callerKey: key });
  expect(ask(lists, { ...REQUEST, callerKey: { ...key } })).not.toBe(first);
});

test('a reply goes with its price list and with its set of mappings', () => {
  const list = priceList();
  const first = ask(listsOf(list));
  expect(ask(listsOf(list))).toBe(first);
  expect(ask(listsOf())).not.toBe(first);
  const edited = mappingOf(editedFiles('operations/lists.yaml', 'status: active', 'status: on sale'));
  expect(ask(catalogListsOf(list, edited), { ...REQUEST, mapping: edited })).not.toBe(first);
});

test('the replies of a list have a bound: when it is full they are made anew', () => {
  const lists = listsOf(priceList(480, 20));
  for (let nth = 0; nth < 5_000; nth += 1) ask(lists, asking({ type: `type ${nth % 11}` }), 'x'.repeat(500));
  expect(made).toBe(11);
  for (let nth = 0; nth < 100; nth += 1) ask(lists, asking({ type: `other ${nth}` }), 'x'.repeat(500));
  expect(made).toBe(111);
  ask(lists, asking({ type: 'type 0' }));
  expect(made).toBe(112);
});

test('a reply that is larger than all the room is the only one that is kept', () => {
  const lists = listsOf();
  ask(lists, asking({}));
  const large = ask(lists, REQUEST, 'x'.repeat(100_000));
  expect(ask(lists)).toBe(large);
  ask(lists, asking({}));
  expect(ask(lists)).not.toBe(large);
});

test('a reply without a text is not kept', () => {
  const [lists, bare] = [listsOf(), { status: 200, body: [] }];
  keptList(lists, REQUEST, () => bare);
  expect(keptList(lists, REQUEST, () => ({ ...bare }))).not.toBe(bare);
});

const A = 'key_of_a:1234';
const B = 'key_of_b:1234';
test('in the whole walk each key is told the prices of its own list of now, in the words of the set of now', async () => {
  let running = mapping;
  let show = (key: string): PriceList => priceList(key === 'key_of_a' ? 400 : 500);
  const kept = new Map<string, PriceList>();
  const house = openWalkHouse({
    parts: {
      mapping: () => running,
      priceLists: {
        get: async () => undefined,
        peek: () => undefined,
        warm: () => undefined,
        show: async ({ credentials: { apiKey } }) => {
          const name = apiKey.revealForUseOnly();
          if (!kept.has(name)) kept.set(name, show(name));
          return kept.get(name);
        },
      },
    },
  });
  const rows = async (key: string, query = {}) => {
    const headers = { authorization: `Token ${key}` };
    const { reply } = await house.gateway.handle(legacyRequest({ method: 'GET', path: '/api/data_plans', query, headers }));
    return (JSON.parse(reply.text!) as JsonObject[]).map(
      ({ id, price, status }) => `${id as number} ${price as number} ${status as string}`,
    );
  };
  for (let turn = 0; turn < 2; turn += 1) {
    expect(await rows(A)).toEqual(['1 400 active', '2 400 active']);
    expect(await rows(B)).toEqual(['1 500 active', '2 500 active']);
    expect(await rows(A, { network: 'GLO' })).toEqual(['2 400 active']);
  }
  kept.clear();
  show = () => priceList(410);
  expect(await rows(A)).toEqual(['1 410 active', '2 410 active']);
  running = mappingOf(editedFiles('operations/lists.yaml', 'status: active', 'status: on sale'));
  expect(await rows(A)).toEqual(['1 410 on sale', '2 410 on sale']);
});
