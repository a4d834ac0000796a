/** What a browser shows when something is wrong: the login, and Overview and Mappings while v1 is down and the mapping files are broken. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openHouse, send, useHouse, type House } from '../flows/house';
import { describeWithBrowser, inspectPage, openBrowser, SIZES, type Size } from './browser';
import { opened } from '../opened';

const cases = (Object.keys(SIZES) as Size[]).map((size) => ({ size }));

describeWithBrowser('the console when something is wrong', () => {
  const browser = opened(openBrowser);
  const locked = useHouse({ env: { ADMIN_TOKEN: 'a-token-for-the-console-alone' } });
  const troubled = opened(openHouseWithTrouble);

  test.each(cases)('the login, $size, light and dark', async (look) => {
    const seen = await inspectPage(browser, `${locked.service.adminUrl}/console`, { name: 'login', ...look });
    expect(seen).toMatchObject({ errors: [], barriers: [], overflowPx: 0 });
  });

  test.each(cases)('the Overview in trouble, $size, light and dark', async (look) => {
    const seen = await inspectPage(browser, `${troubled.service.adminUrl}/console`, {
      ...{ name: 'overview-in-trouble', ...look },
      play: async (page) => {
        for (const words of ['v1', 'mapping files']) await page.getByRole('alert').filter({ hasText: words }).first().waitFor();
        expect(await page.getByText('All is well').count()).toBe(0);
      },
    });
    expect(seen).toMatchObject({ errors: [], barriers: [], overflowPx: 0 });
  });

  test.each(cases)('the problems of the mapping files, $size: a long line scrolls inside itself', async (look) => {
    const seen = await inspectPage(browser, `${troubled.service.adminUrl}/console/mappings`, {
      ...{ name: 'mappings-in-trouble', ...look },
      play: async (page) => {
        await page.getByText('cannot be taken into use').waitFor({ timeout: 60_000 });
        const list = page.locator('.problems');
        expect(await list.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      },
    });
    expect(seen).toMatchObject({ errors: [], barriers: [], overflowPx: 0 });
  });
});

async function openHouseWithTrouble(): Promise<House> {
  const house = await openHouse({
    v1: () => ({ http: 502, body: '<html>Bad Gateway</html>' }),
    env: { UPSTREAM_PROBE_SECONDS: '1' },
    changeMappings: () => undefined,
  });
  appendFileSync(
    join(house.mappingsDir, 'format-b.yaml'),
    `\nno_such_key_${'wider_than_a_phone_'.repeat(4)}: 1 # ${'wider than a phone, '.repeat(9)}\n`,
  );
  await house.service.live.reload();
  const sales = ['08031234567', '08051234567', '08021234567'].map((phone, index) =>
    send(
      house.url,
      '/api/topup/',
      { network: 1, mobile_number: phone, amount: 500 + index, Ported_number: true },
      { headers: { 'User-Agent': 'axios/1.0' } },
    ),
  );
  await Promise.all(sales);
  // v1 counts as down after a while, and the metrics are sampled every five seconds.
  await sleep(12_000);
  return house;
}
