/** The console in a real browser with ADMIN_TOKEN set: who gets in, what another site can do, and use by keyboard alone. */
import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { useHouse } from '../flows/house';
import { listen } from '../listen';
import { describeWithBrowser, openBrowser, SIZES } from './browser';
import { opened } from '../opened';

const TOKEN = 'a-token-for-the-console-alone';

describeWithBrowser('the console behind a token', () => {
  const browser = opened(openBrowser);
  const house = useHouse({ env: { ADMIN_TOKEN: TOKEN } });
  const at = (path: string): string => `${house.service.adminUrl}${path}`;

  async function withPage(use: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ viewport: SIZES.desktop });
    try {
      await use(await context.newPage());
    } finally {
      await context.close();
    }
  }
  async function logIn(page: Page, token: string): Promise<void> {
    await page.getByLabel('Admin token').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
  }

  test('a page asks for the token, and then shows the page that was asked for', () =>
    withPage(async (page) => {
      await page.goto(at('/console?from=mail'));
      expect(page.url()).toContain('/console/login');
      await logIn(page, 'not-the-token');
      expect(await page.getByRole('alert').textContent()).toContain('not the admin token');
      expect(await page.getByLabel('Admin token').inputValue()).toBe('');
      await logIn(page, TOKEN);
      expect(page.url()).toBe(at('/console?from=mail'));
      const cookies = await page.context().cookies();
      expect(cookies).toEqual([
        expect.objectContaining({
          name: `console_session_${new URL(at('')).port}`,
          httpOnly: true,
          sameSite: 'Strict',
          path: '/console',
        }),
      ]);
      expect(await page.evaluate('document.cookie')).toBe('');
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.goto(at('/console'));
      expect(page.url()).toContain('/console/login');
    }));

  test('the stream of a page ends with its session', () =>
    withPage(async (page) => {
      await page.goto(at('/console'));
      await logIn(page, TOKEN);
      await page.waitForSelector('.uplot');
      const other = await page.context().newPage();
      await other.goto(at('/console'));
      await other.getByRole('button', { name: 'Log out' }).click();
      await page.waitForSelector('[data-live].stale');
    }));

  test('the keyboard is enough for a page: for its content and for the theme, which stays', () =>
    withPage(async (page) => {
      await page.goto(at('/console'));
      await logIn(page, TOKEN);
      await page.waitForSelector('.uplot');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('main');
      await page.keyboard.press('/');
      expect(await page.evaluate('document.activeElement.matches("[data-search]")')).toBe(true);
      const theme = page.locator('[data-theme-switch]');
      for (const chosen of ['light', 'dark']) {
        await theme.press('Enter');
        await page.reload();
        expect(await page.evaluate('document.documentElement.dataset.theme')).toBe(chosen);
      }
    }));

  test("another site's form changes nothing, and another site cannot show the console in a frame", () =>
    withPage(async (page) => {
      await page.goto(at('/console'));
      await logIn(page, TOKEN);
      const foreign = await openForeignPage(`
        <form method="post" action="${at('/console/logout')}"><button>Win</button></form>
        <iframe src="${at('/console')}"></iframe>`);
      try {
        await page.goto(foreign.url);
        const frame = page.frames().find((one) => one !== page.mainFrame());
        expect(await frame?.getByText(/Overview|Log in/).count()).toBe(0);
        const [reply] = await Promise.all([
          page.waitForResponse((one) => one.url().endsWith('/logout')),
          page.getByRole('button').click(),
        ]);
        expect(reply.status()).toBe(403);
        // A link from there gets in all the same, although its own request brings no cookie.
        await page.goto(foreign.url);
        await page.evaluate(`location.href = ${JSON.stringify(at('/console'))}`);
        await page.waitForSelector('h1:has-text("Overview")');
      } finally {
        await foreign.close();
      }
    }));
});

/** Under another host name, so that the browser takes it for another site. */
async function openForeignPage(body: string) {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Elsewhere</title>${body}`);
  });
  const { port, close } = await listen(server);
  return { url: `http://localhost:${port}/`, close };
}
