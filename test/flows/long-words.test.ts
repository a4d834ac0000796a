/** The longest words that the gateway takes, in an order of each kind: its record in the journal stays within its bound, also when it is settled. */
import { newFolder } from '../new-folder';
import { send, useHouse } from './house';

const MESSAGE = '\u0001'.repeat(5_000);
const ID_SPELLINGS = ['request-id', 'request_id', 'requestId', 'ref', 'ident'];
const KEY = 'k'.repeat(32);
let sold = 0;
const house = useHouse({
  dataDir: newFolder(),
  env: { JOURNAL_KEY: KEY },
  v1: () => ({
    http: 200,
    body: {
      status: 'success',
      message: 'ŋ'.repeat(3_000),
      data: { reference: `R${(sold += 1)}`.padEnd(200, '-'), balance_before: 1000, balance_after: 900 },
    },
  }),
});

const recipients = Array.from({ length: 300 }, (_, index) => `0803${String(1_000_000 + index)}`);
const sms = { sender: '\u0001'.repeat(100), number: recipients, message: MESSAGE };
const bill = {
  ...{ disco: 1, meter_number: '1'.repeat(40), meter_type: 'prepaid', amount: 1000, phone: '08031234567' },
  ...{ customer_name: '\u0001'.repeat(5_000), customer_address: '\u0001'.repeat(5_000) },
};
const idIn = (spellings: readonly string[], id: string): object => Object.fromEntries(spellings.map((name) => [name, id]));

test.each([
  ['SMS', '/api/bulksms/', sms],
  ['electricity', '/api/bill/', bill],
])('%s with the longest words and ids is sold', async (_title, path, fields) => {
  const ids = [
    idIn(['ref'], 'ŋ'.repeat(490) + path),
    idIn(ID_SPELLINGS.slice(0, 3), 'x'.repeat(490) + path),
    idIn(ID_SPELLINGS, '\u0001'.repeat(45) + path),
  ];
  for (const id of ids)
    expect(await send(house.url, path, { ...fields, ...id })).toMatchObject({ status: 200, body: { status: 'success' } });
});

test.each([
  ['SMS', '/api/bulksms/', sms],
  ['electricity', '/api/bill/', bill],
])('%s with an id that the journal could not hold beside them is refused in words', async (_title, path, fields) => {
  const { status, body } = await send(house.url, path, { ...fields, ...idIn(ID_SPELLINGS, '\u0001'.repeat(512)) });
  expect([status, body.status]).toEqual([400, 'fail']);
  expect(body.message).toContain('request-id: expected a shorter id');
});
