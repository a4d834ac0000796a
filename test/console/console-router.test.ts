/** What holds for every page, checked in the whole house over real sockets. */
import { request } from 'undici';
import { useHouse } from '../flows/house';

const TOKEN = 'a-token-for-the-console';

function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', ...init });
}

/** Sends what a browser sends for a page of another site; Node's own `fetch` sets a mode of its own. */
async function askFromElsewhere(url: string, mode: string): Promise<{ status: number; text: string }> {
  const { statusCode, body } = await request(url, { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode } });
  return { status: statusCode, text: await body.text() };
}

function logIn(adminUrl: string, token: string): Promise<Response> {
  const body = new URLSearchParams({ token });
  return ask(`${adminUrl}/console/login`, { method: 'POST', body });
}

describe('with an ADMIN_TOKEN', () => {
  const house = useHouse({ env: { ADMIN_TOKEN: TOKEN } });
  const at = (path: string): string => `${house.service.adminUrl}${path}`;

  test('without a login a page redirects to the login, and a part of a page or a stream is refused', async () => {
    const page = await ask(at('/console/orders?q=1'));
    expect([page.status, page.headers.get('location')]).toEqual([303, '/console/login?to=%2Fconsole%2Forders%3Fq%3D1']);
    const part = await ask(at('/console'), { headers: { 'hx-request': 'true' } });
    expect([part.status, part.headers.get('hx-redirect')]).toEqual([401, '/console/login?to=%2Fconsole']);
    expect((await ask(at('/console'), { headers: { accept: 'text/event-stream' } })).status).toBe(401);
  });

  test('after the login a part of a page leads to the page that was shown', async () => {
    const headers = { 'hx-request': 'true', 'hx-current-url': at('/console/mappings?said=applied') };
    const part = await ask(at('/console/mappings/check'), { headers });
    expect([part.status, part.headers.get('hx-redirect')]).toEqual([
      401,
      '/console/login?to=%2Fconsole%2Fmappings%3Fsaid%3Dapplied',
    ]);
  });

  test('a form that is too large is refused as such, also without a login, and counts as no bug', async () => {
    const body = new URLSearchParams({ token: 'x'.repeat(1_100_000) });
    const page = await ask(at('/console/login'), { method: 'POST', body });
    expect([page.status, await page.text()]).toEqual([413, expect.stringContaining('too large')]);
    expect(house.log().filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('the cookie of a login opens the pages and no other admin call', async () => {
    const login = await logIn(house.service.adminUrl, TOKEN);
    const cookie = login.headers.get('set-cookie')!;
    expect([login.status, login.headers.get('location')]).toEqual([303, '/console']);
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict$/);
    const headers = { cookie: cookie.split(';')[0]! };
    expect((await ask(at('/console'), { headers })).status).toBe(200);
    expect((await ask(at('/mapping'), { headers })).status).toBe(401);
    expect((await ask(at('/mapping'), { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
    const out = await ask(at('/console/logout'), { method: 'POST', headers });
    expect([out.status, (await ask(at('/console'), { headers })).status]).toEqual([303, 303]);
  });

  test('a wrong token is refused, too many must wait, and no page repeats what was typed', async () => {
    const replies: Response[] = [];
    for (let index = 0; index < 8; index += 1) replies.push(await logIn(house.service.adminUrl, 'not-the-token'));
    const texts = await Promise.all(replies.map((reply) => reply.text()));
    expect(replies.map(({ status }) => status).slice(-2)).toEqual([429, 429]);
    expect(replies[0]!.status).toBe(401);
    expect(Number(replies.at(-1)!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(texts.join('')).not.toMatch(/not-the-token|a-token-for/);
  });

  test("a link from another site gets in by a second request of the console's own page, because the first brings no cookie", async () => {
    const page = await askFromElsewhere(at('/console'), 'navigate');
    expect(page).toEqual({ status: 200, text: expect.stringContaining('http-equiv="refresh"') });
  });

  test.each(['https://evil.example/', '//evil.example', '/console/../x', '/console/logout'])(
    'a login does not lead to %s',
    async (to) => {
      const page = await ask(at(`/console/login?to=${encodeURIComponent(to)}`));
      expect(await page.text()).toContain('action="/console/login?to=%2Fconsole"');
    },
  );
});

describe('without a token', () => {
  const house = useHouse();
  const at = (path: string): string => `${house.service.adminUrl}${path}`;

  test("pages are never stored by the browser and run only the console's own files", async () => {
    const { headers, status } = await ask(at('/console'));
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('a file is cached for good under its content hash, compressed where the browser accepts that, and no other file is served', async () => {
    const page = await (await ask(at('/console'))).text();
    const style = /\/console\/assets\/style\.css\?v=\w+/.exec(page)![0];
    const good = await ask(at(style));
    expect([good.headers.get('cache-control'), good.headers.get('content-encoding')]).toEqual([
      'public, max-age=31536000, immutable',
      'gzip',
    ]);
    expect((await ask(at('/console/assets/style.css?v=old'))).headers.get('cache-control')).toBe('no-cache');
    for (const name of ['nothing.css', '..%2fhtml.ts', '%2e%2e%2fassets.ts', 'style'])
      expect((await ask(at(`/console/assets/${name}`))).status).toBe(404);
  });

  test('a form of htmx that is too large is refused in its place on the page, or as a page where htmx asks for one', async () => {
    const body = new URLSearchParams({ text: 'x'.repeat(1_100_000) });
    const part = await ask(at('/console/try/read'), {
      method: 'POST',
      body,
      headers: { 'hx-request': 'true', 'hx-target': 'read' },
    });
    expect([part.status, await part.text()]).toEqual([200, expect.stringMatching(/^<p class="notice bad"[^]*too large/)]);
    const page = await ask(at('/console/mappings/plan'), {
      method: 'POST',
      body,
      headers: { 'hx-request': 'true', 'hx-target': 'main' },
    });
    expect([page.status, await page.text()]).toEqual([200, expect.stringMatching(/id="main"[^]*too large/)]);
  });

  test('an unknown path is answered with a page that says so', async () => {
    const reply = await ask(at('/console/%3Cscript%3E'));
    expect([reply.status, await reply.text()]).toEqual([404, expect.not.stringContaining('<script>')]);
  });

  test("a call of another site's page is refused, and a link from one is followed", async () => {
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await ask(at('/console/logout'), { method: 'POST', headers: foreign })).status).toBe(403);
    expect((await askFromElsewhere(at('/console'), 'no-cors')).status).toBe(403);
    expect((await askFromElsewhere(at('/console'), 'navigate')).status).toBe(200);
  });
});
