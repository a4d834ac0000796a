/** Gateway and sandbox for one file of tests, and the requests that a script of either format sends to them. */
import { askV1, openHouse, send, type House, type Told } from '../../flows/house';
import { opened } from '../../opened';

export type Format = 'a' | 'b';
export type NetworkName = 'MTN' | 'GLO' | 'AIRTEL' | '9MOBILE';

/** Network numbers by rule 1. */
export const NUMBERS: Readonly<Record<Format, Readonly<Record<number, NetworkName>>>> = {
  a: { 1: 'MTN', 2: 'AIRTEL', 3: 'GLO', 4: '9MOBILE' },
  b: { 1: 'MTN', 2: 'GLO', 3: 'AIRTEL', 4: '9MOBILE' },
};
export const NETWORKS: readonly NetworkName[] = ['MTN', 'GLO', 'AIRTEL', '9MOBILE'];
/** One prefix and one data plan of each network; 0710 belongs to none. */
const PREFIXES = { MTN: '0803', GLO: '0805', AIRTEL: '0802', '9MOBILE': '0809', nobody: '0710' };
export const PLANS: Readonly<Record<NetworkName, number>> = { MTN: 107, GLO: 201, AIRTEL: 301, '9MOBILE': 401 };

/** The text after `Token`; with Basic a script logs in with it first. */
export const KEYS = {
  'key and PIN': 'acme_live_demo:1234',
  'IP-locked key': 'acme_live_iplocked',
} as const;

export interface Script {
  /** For example `token, key and PIN`. */
  readonly title: string;
  readonly authorization: string;
  /** v1's own key, to ask v1 directly. */
  readonly v1Key: string;
}

interface CompatHouse extends House {
  /** The scripts of each format: every auth type with either kind of key. */
  readonly scripts: Readonly<Record<Format, readonly Script[]>>;
  ask(
    script: Script,
    method: string,
    path: string,
    body?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<Told>;
  /** v1's receipt of an order. */
  receipt(script: Script, reference: string): Promise<Told['body']>;
}

export const compatHouseOfFile = (): CompatHouse => opened(openCompatHouse);

async function openCompatHouse(): Promise<CompatHouse> {
  const house = await openHouse();
  const scripts: Record<Format, Script[]> = { a: [], b: [] };
  for (const [title, key] of Object.entries(KEYS)) {
    const v1Key = key.replace(/:.*/, '');
    house.service.sandbox?.admin.fundWallet(v1Key, 50_000_000);
    const basic = `Basic ${Buffer.from(key).toString('base64')}`;
    const login = await send(house.url, '/api/user', undefined, { key: null, headers: { Authorization: basic } });
    const token: Script = { title: `token, ${title}`, authorization: `Token ${key}`, v1Key };
    scripts.a.push({ title: `AccessToken, ${title}`, authorization: `Token ${login.body.AccessToken}`, v1Key }, token);
    scripts.b.push(token);
  }
  return {
    ...house,
    scripts,
    ask: ({ authorization }, method, path, body, headers) =>
      send(house.url, path, body, { key: null, method, headers: { Authorization: authorization, ...headers } }),
    receipt: async ({ v1Key }, reference) => (await askV1(house.service, `/receipt?reference=${reference}`, v1Key)).body.data,
  };
}

let counter = 0;

/** A number that no test has used and whose last four digits call up no mood. */
export function freshPhone(network: NetworkName | 'nobody'): string {
  counter += 1;
  const unique = String(counter).padStart(6, '0');
  return `${PREFIXES[network]}${unique.slice(0, 3)}7${unique.slice(3)}`;
}

export function freshId(): string {
  counter += 1;
  return `order-${counter}`;
}

/** Every combination of one item of each list. */
export function everyCombination<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>((rows, list) => rows.flatMap((row) => list.map((item) => [...row, item])), [[]]);
}

/** Runs all items, a dozen at a time, because each waits for sockets and disk more than it computes. */
export async function forEvery<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const work = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: 24 }, work));
}
