import { openHouse, type House } from '../../flows/house';
import { consoleOf, type Shown } from '../ask-console';

const KEY = 'my_live_VERYSECRETKEY';
const CURL = `curl http://h/api/topup/ -H 'Authorization: Token ${KEY}:4321' -H 'Content-Type: application/json' -d '{"network":1,"mobile_number":"08031234567","amount":100,"Ported_number":true}'`;
const PHP =
  "['network' => 2, 'phone' => '08021234567', 'amount' => 100, 'plan_type' => 'VTU', 'bypass' => false, 'request-id' => 'x1'];";

let house: House;
const read = (text: string, more: Readonly<Record<string, string>> = {}): Promise<Shown> =>
  consoleOf(house.service.adminUrl).post('/try/read', { text, address: 'POST /api/topup/', caller: '', ...more });
const sendIt = (text: string): Promise<Shown> =>
  consoleOf(house.service.adminUrl).post('/try/send', { text, address: 'POST /api/topup/', wallet: 'demo:sandbox' });

afterEach(() => house.close());

test('a paste is explained from its address to the rule of each reply field', async () => {
  house = await openHouse();
  const { text, html } = await read(CURL);
  expect(text).toContain('Read as curl command: Airtime, format B.');
  expect(text).toMatch(/strong for B: /);
  expect(text).toMatch(/phone 08031234567 mobile_number phone operations\/airtime\.yaml:\d+/);
  expect(text).toContain('₦100');
  expect(text).toMatch(/POST \/airtime .*"network": "MTN"/);
  for (const outcome of ['success', 'pending', 'failure']) expect(text).toContain(`${outcome} HTTP`);
  expect(text).toMatch(/\$words\.status replies\.yaml:\d+/);
  const { hash } = house.service.live.current();
  expect(html).toMatch(new RegExp(`href="/console/mappings/sets/${hash}\\?file=[^"]*airtime\\.yaml#line-\\d+"`));
  expect(html).not.toContain('<code>*</code>');
  expect(html).not.toContain(KEY);
  expect(html).not.toContain('4321');
});

test('fields alone go to the chosen address, and the caller is the chosen one', async () => {
  house = await openHouse({ callers: { sandbox_demo: { title: 'Ada' } } });
  const { html } = await consoleOf(house.service.adminUrl).get('/try');
  expect(html.match(/<option value="[0-9a-f]{32}"[^>]*>\s*Ada/g)).toHaveLength(1);
  const caller = '0123456789abcdef0123456789abcdef';
  const { text } = await read("['network' => 1, 'mobile_number' => '08031234567', 'amount' => 100]", { caller });
  expect(text).toContain('Read as PHP: Airtime');
  expect((await read(CURL, { caller })).text).toContain(`fingerprint ${caller.slice(0, 8)}`);
});

test('the face value of a card is shown in naira, as it is kept', async () => {
  house = await openHouse();
  const card = "['network' => 1, 'amount' => 100, 'quantity' => 2, 'name_on_card' => 'Ada']";
  const { text } = await read(card, { address: 'POST /api/rechargepin/' });
  expect(text).toMatch(/denomination 100 amount /);
});

test('a refused request shows the reply that its script gets', async () => {
  house = await openHouse();
  const broken = CURL.replace('"08031234567"', '"no phone"');
  const { text } = await read(broken);
  const told = await fetch(`${house.url}/api/topup/`, {
    method: 'POST',
    headers: { authorization: 'Token sandbox_demo:1234', 'content-type': 'application/json' },
    body: '{"network":1,"mobile_number":"no phone","amount":100,"Ported_number":true}',
  });
  const { message } = (await told.json()) as { message: string };
  expect(text).toContain(`"message": ${JSON.stringify(message)}`);
  const unread = await read("curl http://h/api/topup/ -H 'Content-Type: application/json' -d '{\"network\":'");
  expect(unread.text).toContain('The gateway refuses to read it');
});

test.each([
  [
    'in its address',
    "curl http://h/api/739154/older-servers-key/topup/ -H 'Authorization: Token older-servers-key:739154' -d a=1",
  ],
  ['in its address alone', 'curl http://h/api/acme_live_older-servers-key:739154/topup/ -d a=1'],
  [
    'as the name of a field',
    CURL.replace(`${KEY}:4321`, 'older-servers-key:739154').replace('{', '{"older-servers-key":1,"739154":1,'),
  ],
  [
    'as a name that is there twice',
    "curl http://h/api/topup/ -H 'Authorization: Token older-servers-key:739154' -d '739154=1&739154=2'",
  ],
])('a key or PIN that a paste has %s is not shown', async (_where, paste) => {
  house = await openHouse();
  const { html, text } = await read(paste);
  expect(text).toContain(':value');
  expect(html).not.toMatch(/older-servers|739154/);
});

test('a paste that is no request is refused without being repeated', async () => {
  house = await openHouse();
  for (const text of [`the key is ${KEY}`, `$x = "${KEY}"; if ($y) { }`, `curl -d @/etc/passwd http://h/ -H 'Token: ${KEY}'`]) {
    const { html, status } = await read(text);
    expect(status).toBe(200);
    expect(html).toContain('notice warn');
    expect(html).not.toContain(KEY);
    expect(html).not.toContain('root:');
  }
  expect((await read('')).text).toContain('Paste a request');
});

test.each([
  ['curl', CURL],
  ['PHP', PHP],
])('a paste of %s is sold in the sandbox with the sandbox key, never with the key of the paste', async (_kind, paste) => {
  house = await openHouse({ logLevel: 'debug' });
  const { text, html } = await sendIt(paste);
  expect(text).toContain('HTTP 200');
  expect(text).toContain('"status": "success"');
  expect(html).toMatch(/href="\/console\/orders\?q=[^"]+"/);
  const { orders } = house.service.sandbox!.admin.overview();
  expect(orders).toMatchObject([{ walletId: 'demo:sandbox', category: 'airtime', status: 'success' }]);
  expect(`${html}${house.logLines.join('')}`).not.toContain(KEY);
});

test('a login in the sandbox shows no AccessToken', async () => {
  house = await openHouse();
  const { text, html } = await sendIt("curl -X POST http://h/api/user/ -u 'a:1234'");
  expect(text).toContain('"AccessToken": "[secret]"');
  expect(html).not.toContain('cga2.');
});

test('a gateway that sells through a real v1 sends nothing from this page', async () => {
  let asked = 0;
  house = await openHouse({ v1: () => ((asked += 1), { http: 200, body: { status: 'success' } }) });
  const before = asked;
  expect((await sendIt(CURL)).text).toContain('Only a gateway that sells into the sandbox');
  expect((await consoleOf(house.service.adminUrl).get('/try')).html).not.toContain('Send it to the sandbox');
  expect((await consoleOf(house.service.adminUrl).get('/sandbox')).status).toBe(404);
  expect(asked).toBe(before);
});
