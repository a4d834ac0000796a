/** Every page in a real browser, on a phone and a desktop, light and dark: `test-artefacts/console` has the pictures. */
import type { Browser } from 'playwright-core';
import { describeWithBrowser, lookAt, openBrowser, SIZES, type Look, type Size } from './browser';
import { PAGES } from './pages-table';
import { openShop, type ShopHouse } from './shop-house';

/** A page is to be painted within a second, with less than 200 kB in all. A machine that is busy with other tests is given three. */
const FIRST_PAINT_MS_MAX = 3_000;
const BYTES_MAX = 200_000;

describeWithBrowser('the pages of the console', () => {
  let house: ShopHouse;
  let browser: Browser;
  const looks: string[] = [];

  beforeAll(async () => {
    [house, browser] = await Promise.all([openShop(), openBrowser()]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await house?.close();
    process.stdout.write(`${looks.join('\n')}\n`);
  });

  const cases = PAGES.flatMap((page) => (Object.keys(SIZES) as Size[]).map((size) => ({ ...page, size })));

  test.each(cases)('$name, $size, light and dark', async ({ name, path, play, size }) => {
    const at = typeof path === 'string' ? path : await path(house);
    const look = await lookAt(browser, `${house.adminUrl}${at}`, { name, size, ...(play === undefined ? {} : { play }) });
    looks.push(`${name} ${size}: first paint ${Math.round(look.firstPaintMs)} ms, ${Math.round(look.bytes / 1_000)} kB`);
    expect(soundOf(look, name)).toEqual({ errors: [], barriers: [], overflowPx: 0 });
    expect(look.firstPaintMs).toBeLessThan(FIRST_PAINT_MS_MAX);
    expect(look.bytes).toBeLessThan(BYTES_MAX);
  });
});

function soundOf({ errors, barriers, overflowPx }: Look, name: string): Partial<Look> {
  // The page that is missing is one.
  const isExpected = (error: string): boolean => name === 'not-found' && error.includes('404');
  return { errors: errors.filter((error) => !isExpected(error)), barriers, overflowPx };
}
