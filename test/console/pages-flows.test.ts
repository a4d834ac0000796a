/** What an operator does with several pages in a row, in a real browser. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { useHouse } from '../flows/house';
import { describeWithBrowser, openBrowser } from './browser';
import { editFile } from '../mapping/mapping-set';
import { opened } from '../opened';
import { until } from '../until';

/** Keeps the texts of charts: they are painted, so no element has them. */
const KEEP_PAINTED = `
  window.painted = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
    painted.push(text);
    fillText.call(this, text, ...at);
  };`;
const MINUTES_AROUND_ONE_POINT = `(() => {
  painted.length = 0;
  const t = [Math.round(Date.now() / 1000)];
  const series = { t, traffic: [[0], [0], [0], [0], [0]], times: [[null], [null], [null], [null]] };
  document.dispatchEvent(new CustomEvent('live:series', { detail: { hour: series, day: series } }));
  return new Promise((resolve) => setTimeout(() => resolve(painted.filter((text) => text.includes(':'))), 100));
})()`;

describeWithBrowser('in a browser', () => {
  const browser = opened(openBrowser);
  const house = useHouse({ changeMappings: () => undefined });
  let page: Page;
  beforeAll(async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(30_000);
  });
  const open = (path: string): Promise<unknown> => page.goto(`${house.service.adminUrl}/console${path}`);

  // First, because the day has its second sample two minutes after the start.
  test('a chart says that it waits for data until a line can be drawn', async () => {
    await open('');
    const waiting = page.getByText('The charts wait for data');
    await waiting.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Last day' }).click();
    await waiting.waitFor({ state: 'visible' });
  }, 90_000);

  test('around its first point a chart names each minute once', async () => {
    await page.addInitScript(KEEP_PAINTED);
    await open('');
    await page.getByText('The charts wait for data').waitFor({ state: 'attached' });
    const minutes: readonly string[] = await page.evaluate(MINUTES_AROUND_ONE_POINT);
    // Two charts have the same axis.
    expect([minutes.length > 0, new Set(minutes).size]).toEqual([true, minutes.length / 2]);
  }, 90_000);

  test('a tab that is opened in the background takes no connection until somebody looks at it', async () => {
    const tab = await browser.newPage();
    const streams: string[] = [];
    tab.on('request', (request) => request.resourceType() === 'eventsource' && streams.push(request.url()));
    await tab.addInitScript("Object.defineProperty(document, 'hidden', { get: () => window.isSeen !== true })");
    await tab.goto(`${house.service.adminUrl}/console`, { waitUntil: 'networkidle' });
    expect(streams).toEqual([]);
    await tab.evaluate("window.isSeen = true; document.dispatchEvent(new Event('visibilitychange'))");
    await until(() => streams.length === 1);
    await tab.close();
  }, 90_000);

  test('a paste is read while it is typed, sold in the sandbox, and found among the orders', async () => {
    await open('/try');
    const text = page.getByLabel('What the script sends');
    await text.fill("['network' => 1, 'mobile_number' => '08031234567', 'amount' => 100");
    await page.getByText('a value here is none').waitFor();
    await text.pressSequentially(", 'Ported_number' => true]");
    await page.getByText('Read as PHP').waitFor();
    await page.getByRole('button', { name: 'Send it to the sandbox' }).click();
    await page.getByRole('link', { name: 'Find this order' }).click();
    await page.locator('main tbody tr').first().waitFor();
    expect(await page.locator('main tbody tr').count()).toBe(1);
    expect(page.url()).toContain('/console/orders');
  }, 90_000);

  test('a broken file is shown in its line, and the folder is restored', async () => {
    const path = join(house.mappingsDir, 'operations', 'airtime.yaml');
    const sound = readFileSync(path, 'utf8');
    writeFileSync(path, sound.replace('as: naira', 'as: niara'));
    await open('/mappings');
    await page.getByRole('button', { name: 'Reload the folder' }).click();
    await page.getByText('Refused: the files have problems').waitFor();
    await page.locator('#check a').first().click();
    await page.locator('.marked .in-place').first().waitFor();
    expect(await page.locator('.marked code').first().textContent()).toContain('niara');
    await open('/mappings');
    await page.getByRole('button', { name: 'Put the folder back' }).click();
    await page.getByLabel('which are not in use, are lost').check();
    await page.getByRole('button', { name: 'Apply exactly this' }).click();
    await page.getByText('The folder holds the set in use again.').waitFor();
    expect(readFileSync(path, 'utf8')).toBe(sound);
  }, 90_000);

  test('a step back is planned first and then taken', async () => {
    const before = house.service.live.current().hash;
    const path = join(house.mappingsDir, 'operations', 'airtime.yaml');
    editFile(path, 'title: Airtime', 'title: Airtime top-up');
    await house.service.live.reload();
    await open('/mappings');
    await page.getByRole('button', { name: 'Go back one step' }).click();
    await page.getByText('title: Airtime top-up -> Airtime').waitFor();
    await page.getByRole('button', { name: 'Apply exactly this' }).click();
    await page.getByText('In use now, exactly as planned.').waitFor();
    expect(house.service.live.current().hash).toBe(before);
  }, 90_000);
});
