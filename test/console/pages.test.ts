/** Every page in a real browser, on a phone and a desktop, light and dark; pictures go to `test-artefacts/console`. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { copyMappings, editFile } from '../mapping/mapping-set';
import {
  describeWithBrowser,
  inspectPage,
  openBrowser,
  SIZES,
  type PageFindings,
  type Size,
  type InspectOptions,
} from './browser';
import { openShop, type ShopHouse } from './shop-house';
import { opened } from '../opened';

interface PageLine {
  /** The file name of the picture. */
  readonly name: string;
  /** Below the admin address; a function where it depends on the shop's sales. */
  readonly path: string | ((house: ShopHouse) => string | Promise<string>);
  /** Runs on the page before the page is judged. */
  readonly play?: InspectOptions['play'];
}

/** The first caller of callers.yaml. */
function aCaller({ service }: ShopHouse): string {
  const [fingerprint] = service.live.current().callerKeys.keys();
  return `/console/callers/${fingerprint}`;
}

const PAGES: readonly PageLine[] = [
  { name: 'overview', path: '/console' },
  { name: 'mappings', path: '/console/mappings', play: playMappings },
  { name: 'mapping-file', path: '/console/mappings/file?name=operations/airtime.yaml' },
  {
    name: 'mapping-set',
    path: ({ service }) => `/console/mappings/sets/${service.live.current().hash}?file=callers.yaml`,
  },
  { name: 'mapping-plan', path: '/console/mappings', play: playPlan },
  { name: 'try', path: '/console/try', play: playTry },
  { name: 'sandbox', path: '/console/sandbox' },
  { name: 'callers', path: '/console/callers' },
  { name: 'caller', path: aCaller },
  { name: 'orders', path: '/console/orders' },
  { name: 'orders-found', path: '/console/orders?q=0803&outcome=refused' },
  { name: 'order', path: firstOrder },
  { name: 'not-found', path: '/console/nothing-here' },
];

/** The story of the latest order. */
async function firstOrder({ adminUrl }: ShopHouse): Promise<string> {
  const page = await (await fetch(`${adminUrl}/console/orders?refused=no`)).text();
  return /\/console\/orders\/[0-9a-f]+\/\d+/.exec(page)![0];
}

async function playMappings(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Play the cases' }).click();
  await page.getByRole('button', { name: 'Look for drift' }).click();
  await page.locator('#coverage table').waitFor({ timeout: 60_000 });
  await page.locator('#drift dl').waitFor({ timeout: 60_000 });
}

async function playPlan(page: Page): Promise<void> {
  const candidate = copyMappings();
  editFile(join(candidate, 'operations', 'airtime.yaml'), 'from: [amount]', 'from: [amount, howmuch]');
  await page.getByLabel('Folder').fill(candidate);
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.getByRole('heading', { name: 'Can move money' }).waitFor({ timeout: 60_000 });
}

async function playTry(page: Page): Promise<void> {
  await page
    .getByLabel('What the script sends')
    .fill("['network' => 1, 'mobile_number' => '08031234567', 'amount' => 100, 'Ported_number' => true]");
  await page.getByText('Read as PHP').waitFor({ timeout: 20_000 });
  await page.getByRole('button', { name: 'Send it to the sandbox' }).click();
  await page.getByRole('heading', { name: 'The reply of the gateway' }).waitFor({ timeout: 20_000 });
}

/** A page is to be painted within a second, with less than 200 kB in all. A machine that is busy with other tests is given three. */
const FIRST_PAINT_MS_MAX = 3_000;
const BYTES_MAX = 200_000;

describeWithBrowser('the pages of the console', () => {
  const browser = opened(openBrowser);
  const house = opened(openShop);
  const looks: string[] = [];
  afterAll(() => process.stdout.write(`${looks.join('\n')}\n`));

  const cases = PAGES.flatMap((page) => (Object.keys(SIZES) as Size[]).map((size) => ({ ...page, size })));

  test.each(cases)('$name, $size, light and dark', async ({ name, path, play, size }) => {
    const at = typeof path === 'string' ? path : await path(house);
    const look = await inspectPage(browser, `${house.adminUrl}${at}`, { name, size, ...(play === undefined ? {} : { play }) });
    looks.push(`${name} ${size}: first paint ${Math.round(look.firstPaintMs)} ms, ${Math.round(look.bytes / 1_000)} kB`);
    expect(withoutExpectedErrors(look, name)).toEqual({ errors: [], barriers: [], overflowPx: 0, cutOff: [] });
    expect(look.firstPaintMs).toBeLessThan(FIRST_PAINT_MS_MAX);
    expect(look.bytes).toBeLessThan(BYTES_MAX);
  });
});

function withoutExpectedErrors({ errors, barriers, overflowPx, cutOff }: PageFindings, name: string): Partial<PageFindings> {
  // The missing page is served with HTTP 404.
  const isExpected = (error: string): boolean => name === 'not-found' && error.includes('404');
  return { errors: errors.filter((error) => !isExpected(error)), barriers, overflowPx, cutOff };
}
