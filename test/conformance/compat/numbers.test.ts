import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  everyCombination,
  forEvery,
  freshId,
  freshPhone,
  NETWORKS,
  NUMBERS,
  compatHouseOfFile,
  type Format,
  type NetworkName,
  type Script,
} from './compat-house';

const house = compatHouseOfFile();

const tokenScript = (): Script => house.scripts.b[0]!;
const loggedIn = (): Script => house.scripts.a[0]!;
const REFUSED = 'refused';

/** Which network v1 sold, or that it was refused before anything was charged. */
async function soldBy(script: Script, path: string, fields: Record<string, unknown>): Promise<string> {
  const before = await house.wallet(script.v1Key);
  const { status, body } = await house.ask(script, 'POST', path, { ...fields, 'request-id': freshId() });
  if (body.Status === 'successful') {
    const { description } = await house.receipt(script, body.reference);
    return NETWORKS.find((network) => String(description).includes(network)) ?? description;
  }
  expect([status, body.status, body.Status, await house.wallet(script.v1Key)]).toEqual([400, 'fail', 'failed', before]);
  return REFUSED;
}

interface NumberRow {
  readonly title: string;
  readonly login?: true;
  /** Address and phone field. */
  readonly sent: readonly string[];
  /** By network number, the columns as PREFIXES. */
  readonly sells: Readonly<Record<string, readonly string[]>>;
}

const PREFIXES = [...NETWORKS, 'nobody'] as const;
const ROWS = parse(readFileSync(join(__dirname, 'numbers.yaml'), 'utf8')) as readonly NumberRow[];

test.each(ROWS)('airtime: $title', async ({ login, sent, sells }) => {
  const sold: Record<string, Record<string, string[]>> = {};
  const script = login === true ? loggedIn() : tokenScript();
  for (const address of sent) {
    const [path = '', field = ''] = address.split(' ');
    sold[address] = {};
    for (const number of Object.keys(sells)) {
      const row: string[] = [];
      for (const prefix of PREFIXES) {
        row.push(await soldBy(script, path, { network: Number(number), [field]: freshPhone(prefix), amount: 100 }));
      }
      sold[address][number] = row;
    }
  }
  expect(sold).toEqual(Object.fromEntries(sent.map((address) => [address, sells])));
});

test('[r1-1] [r1-2] [r1-3] an address that begins with /a or /b has the numbers of that format', async () => {
  for (const format of ['a', 'b'] as const) {
    for (const [number, network] of Object.entries(NUMBERS[format])) {
      const fields = { network: Number(number), phone_number: freshPhone('nobody'), amount: 100 };
      expect([format, number, await soldBy(tokenScript(), `/${format}/api/airtime`, fields)]).toEqual([format, number, network]);
      const cards = { network: Number(number), amount: 100, quantity: 1 };
      expect([format, number, await soldBy(tokenScript(), `/${format}/api/recharge_card`, cards)]).toEqual([
        format,
        number,
        network,
      ]);
    }
  }
});

test('[r1-5] recharge cards at the address that both formats share: a number that nothing explains is refused', async () => {
  const cards = (network: unknown) => ({ network, amount: 100, quantity: 1 });
  const sold = [];
  for (const network of [1, 2, 3, 4, '2', ...NETWORKS])
    sold.push(await soldBy(tokenScript(), '/api/recharge_card', cards(network)));
  expect(sold).toEqual(['MTN', REFUSED, REFUSED, '9MOBILE', REFUSED, ...NETWORKS]);
});

test('[r1-5] recharge cards by an AccessToken are format A', async () => {
  for (const [number, network] of Object.entries(NUMBERS.a)) {
    const cards = { network: Number(number), amount: 100, quantity: 1 };
    expect(await soldBy(loggedIn(), '/api/recharge_card', cards)).toBe(network);
  }
});

test('[r1-4] network names are accepted at every address, in any case, and beside either phone field', async () => {
  await forEvery(
    everyCombination<string>([['/api/airtime', '/api/topup'], ['', '/'], ['phone', 'mobile_number'], NETWORKS]),
    async ([path = '', slash = '', field = '', network = '']) => {
      for (const word of [network, network.toLowerCase()]) {
        const fields = { network: word, [field]: freshPhone(network as NetworkName), amount: 100 };
        const { body } = await house.ask(tokenScript(), 'POST', `${path}${slash}`, fields);
        expect([path, word, body.Status, body.network]).toEqual([path, word, 'successful', network]);
      }
    },
  );
});

test('[r1-1] [l-7] the numbers of /api/get-networks are the numbers that the same script sells by', async () => {
  const lists: [Script, string, Format][] = [
    [loggedIn(), '', 'a'],
    [tokenScript(), '/a', 'a'],
    [tokenScript(), '/b', 'b'],
  ];
  for (const [script, prefix, format] of lists) {
    const { body } = await house.ask(script, 'GET', `${prefix}/api/get-networks`);
    const numbers = body.map(({ id, network }: { id: number; network: string }) => [id, network.toUpperCase()]);
    expect(Object.fromEntries(numbers)).toEqual(NUMBERS[format]);
  }
});
