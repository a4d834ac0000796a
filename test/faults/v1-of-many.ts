/** One sandbox with an account for every cell of the table, so that a wallet shows what one order cost. */
import { cpSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRealClock, type Clock } from '../../src/sandbox/clock';
import { openSandbox } from '../../src/sandbox/sandbox';
import { newFolder } from '../new-folder';

export interface V1OfMany {
  readonly url: string;
  keyOf(cell: number): string;
  /** v1's own ledger of a cell's account, read without the gateway. */
  ledger(cell: number): Promise<Ledger>;
  /** Resolves when v1 has this many orders of a cell's account: pending, or ended already on a slow machine. */
  untilTaken(cell: number, count: number): Promise<void>;
  /** All orders of all accounts. */
  countOrders(): number;
  /** Whether every account has paid exactly for its orders. */
  isBalanced(): boolean;
  close(): Promise<void>;
}

/** The orders of one account, by what became of their money. */
export interface Ledger {
  readonly charged: number;
  readonly pending: number;
  readonly refunded: number;
}

const SHIPPED = resolve(__dirname, '..', '..', 'sandbox');
/** Waits of the sandbox pass ten times faster: a late answer of five seconds takes half a second. */
const HASTE = 10;
/** In naira: enough for all the orders that a machine can send in minutes. */
const BALANCE = 1_000_000_000;

export async function openV1OfMany(cells: number, haste = HASTE): Promise<V1OfMany> {
  const configDir = newFolder();
  cpSync(SHIPPED, configDir, { recursive: true });
  const accounts = Array.from(
    { length: cells },
    (_, cell) =>
      `  - { id: cell-${cell}, name: Cell ${cell}, keys: { sandbox: sandbox_${cell} }, pin: '1234', wallet: { live: ${BALANCE}, sandbox: ${BALANCE} } }\n`,
  );
  writeFileSync(join(configDir, 'accounts.yaml'), `accounts:\n${accounts.join('')}`);
  const real = createRealClock();
  const clock: Clock = { ...real, setTimer: (delayMs, fire) => real.setTimer(delayMs / haste, fire) };
  const sandbox = await openSandbox({ configDir, relaxed: true, clock });
  const { url } = await sandbox.listen(0);
  const agent = new Agent({ keepAlive: true });
  const keyOf = (cell: number): string => `sandbox_${cell}`;
  const ledger = async (cell: number): Promise<Ledger> => {
    const orders = await untilAnswered(() => history(`${url}/transactions?per_page=50`, keyOf(cell), agent));
    const count = (status: string): number => orders.filter((order) => order.status === status).length;
    return { charged: count('success'), pending: count('pending'), refunded: count('failed') };
  };
  return {
    url,
    keyOf,
    ledger,
    async untilTaken(cell, count) {
      const taken = async (): Promise<number> => {
        const { charged, pending } = await ledger(cell);
        return charged + pending;
      };
      while ((await taken()) < count) await sleep(20);
    },
    countOrders: () => sandbox.admin.countOrders(),
    isBalanced: () => sandbox.admin.checkLedger().isBalanced,
    async close() {
      agent.destroy();
      await sandbox.close();
    },
  };
}

interface Row {
  readonly status: string;
}

/** A question that changes nothing may be asked again: among thousands of connections within one process some are reset. */
async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 5) throw new Error("v1's ledger gives no answer", { cause: error });
      await sleep(100 * tries);
    }
  }
}

function history(url: string, key: string, agent: Agent): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        const body = JSON.parse(text) as { readonly data: { readonly transactions: readonly Row[] } };
        resolve(body.data.transactions);
      });
    });
    request.on('error', reject);
  });
}
