/** v1 as a process with the true ledger on its own disk. It can be killed, stopped, or replaced by another server on its port. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess } from '../end-process';
import { freePort } from '../free-port';
import { buyAtV1 } from '../faults/purchase';
import { listen, type Listening } from '../listen';
import type { Trouble } from './trouble';
import { newFolder } from '../new-folder';

export interface V1Process extends Trouble {
  readonly url: string;
  keyOf(account: number): string;
  /** All orders of all accounts. */
  countOrders(): Promise<number>;
  /** One sentence for each fault of the ledger. */
  faults(): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface Books {
  readonly orders: number;
  readonly faults: readonly string[];
}

const SHIPPED = resolve(__dirname, '..', '..', 'sandbox');
const CHILD = join(__dirname, 'v1-child.cjs');
/** In the first day of an account few orders are proven never to have been (decision 0013), so each has sold before. */
const SOLD_BEFORE_MS = 48 * 3_600_000;
const SOLD_BEFORE = { network: 'MTN', phone: '09061234567', amount: 50, request_id: 'before' };

/** Servers that may answer at v1's address instead of v1. */
const STRANGERS: Readonly<Record<string, { readonly status: number; readonly type: string; readonly body: string } | 'reset'>> = {
  'replaced by a web server that knows no such page': {
    status: 404,
    type: 'text/html',
    body: '<html><h1>404 Not Found</h1></html>',
  },
  'replaced by a service of somebody else': { status: 404, type: 'application/json', body: '{"error":"not found"}' },
  'replaced by a page that says welcome': { status: 200, type: 'text/html', body: '<html><h1>Welcome</h1></html>' },
  'replaced by a proxy without a server': { status: 502, type: 'text/html', body: '<html><h1>502 Bad Gateway</h1></html>' },
  'replaced by one that resets': 'reset',
};

export async function openV1Process(accounts: number): Promise<V1Process> {
  const folder = newFolder();
  const [configDir, dataDir] = [join(folder, 'config'), join(folder, 'data')];
  cpSync(SHIPPED, configDir, { recursive: true });
  mkdirSync(dataDir);
  const lines = Array.from(
    { length: accounts },
    (_, nth) => `  - { id: shop-${nth}, name: Shop ${nth}, keys: { live: shop_live_${nth} }, pin: '1234' }`,
  );
  writeFileSync(join(configDir, 'accounts.yaml'), `accounts:\n${lines.join('\n')}\n`);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/api/v1`;
  let child: ChildProcess;

  const start = async (behindMs = 0): Promise<void> => {
    child = fork(CHILD, [dataDir, configDir, String(port), String(behindMs)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const isUp = once(child, 'message').then(() => true);
    if (!(await Promise.race([isUp, once(child, 'exit').then(() => false)]))) throw new Error('v1 did not start.');
  };
  const kill = (): Promise<void> => endProcess(child, 'SIGKILL');
  const untilItAnswers = async (): Promise<void> => {
    while (
      !(await fetch(`${url}/services`).then(
        () => true,
        () => false,
      ))
    )
      await sleep(20);
  };
  const ask = async (): Promise<Books> => {
    const answer = once(child, 'message') as Promise<[Books]>;
    child.send('books');
    return (await answer)[0];
  };
  /** Takes v1 away and returns the function that undoes this. */
  const takeAway = async (way: string): Promise<() => Promise<void>> => {
    if (way === 'stopped') {
      child.kill('SIGSTOP');
      return async () => void child.kill('SIGCONT');
    }
    await kill();
    if (way === 'killed') return () => start();
    const stranger = await openStranger(port, STRANGERS[way]!);
    return async () => {
      await stranger.close();
      await start();
    };
  };
  let undo: (() => Promise<void>) | undefined;
  const keyOf = (account: number): string => `shop_live_${account}`;
  await start(SOLD_BEFORE_MS);
  for (let account = 0; account < accounts; account += 1) await buyAtV1(url, keyOf(account), SOLD_BEFORE);
  await kill();
  await start();
  return {
    name: 'v1',
    url,
    keyOf,
    ways: [['killed'], ['stopped'], Object.keys(STRANGERS)],
    async take(way) {
      undo = await takeAway(way);
    },
    async giveBack() {
      await undo?.();
      undo = undefined;
      await untilItAnswers();
    },
    countOrders: async () => (await ask()).orders,
    faults: async () => (await ask()).faults,
    async close() {
      await kill();
    },
  };
}

function openStranger(port: number, answer: (typeof STRANGERS)[string]): Promise<Listening> {
  const server = createServer((request, response) => {
    if (answer === 'reset') return void request.socket.resetAndDestroy();
    request.resume();
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
  });
  return listen(server, port);
}
