/** A house in which a shop has sold for a while: orders of every outcome, refused requests, and callers with titles. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runDemo } from '../../src/cli/demo';
import { loadShop } from '../../src/cli/demo/shop';
import { openHouse, send, type House } from '../flows/house';

export interface ShopHouse extends House {
  readonly adminUrl: string;
}

const TITLES = Object.fromEntries(loadShop().resellers.map(({ key, title }) => [key, { title, contact: '08030000000' }]));

/** How long the demo sells: enough for rows in every table. */
const SALES_MS = 4_000;
const SALES_RATE = 25;

export async function openShop(): Promise<ShopHouse> {
  const house = await openHouse({ callers: TITLES, changeMappings: keepFewCases });
  let seed = 7;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  // Held pending orders are not waited for.
  void runDemo(loadShop(), {
    ...{ publicUrl: house.url, forMs: SALES_MS, rate: SALES_RATE, random },
    stopped: AbortSignal.timeout(SALES_MS + 1_000),
  }).catch(() => undefined);
  await sleep(SALES_MS);
  // Held while pending, then told as pending: these orders do not change any more.
  for (const phone of ['08031230003', '08051240003', '08021250003'])
    void send(house.url, '/api/topup/', { network: 1, mobile_number: phone, amount: 1500, Ported_number: true }).catch(
      () => undefined,
    );
  // Refused for two reasons that every reseller meets.
  await send(house.url, '/api/topup/', { network: 9, mobile_number: '08031234567', amount: 100 });
  await send(house.url, '/api/topup/', { network: 1, mobile_number: 'not a phone', amount: 100, airtime_type: 'VTU' });
  await sleep(SAMPLE_AND_A_LITTLE_MS);
  return { ...house, adminUrl: house.service.adminUrl };
}

/** The page that plays the cases looks the same with a tenth of them. */
function keepFewCases(folder: string): void {
  const cases = join(folder, 'cases');
  for (const name of readdirSync(cases)) if (name !== 'airtime.yaml') rmSync(join(cases, name));
}

/** Waits until the metrics of all sales have been sampled. */
const SAMPLE_AND_A_LITTLE_MS = 5_500;
