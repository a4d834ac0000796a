import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { send, withHouse } from '../flows/house';
import { MAPPINGS } from '../mapping/mapping-set';
import { runHere, withSettings } from './run-here';
import { newFolder } from '../new-folder';

const dataDir = newFolder();
withSettings(() => ({ DATA_DIR: dataDir, MAPPINGS_DIR: MAPPINGS, GATEWAY_SECRET: 'c0ffee'.repeat(6) }));

const FIELDS = {
  network: 2,
  mobile_number: '08051234567',
  amount: '1,000',
  Ported_number: true,
  airtime_type: 'VTU',
  color: 'red',
};
const KEY = 'acme_live_4f9d2c7b81e6';
const PIN = '739184';

async function explainText(text: string | Buffer, ...options: readonly string[]) {
  const file = join(dataDir, 'request.txt');
  writeFileSync(file, text);
  return runHere('explain', '--file', file, ...options);
}

/** The text of line 12 for `mappings/operations/airtime.yaml:12`. */
function lineAt(place: string): string {
  const [, file = '', line = ''] = /(\S+):(\d+)$/.exec(place) ?? [];
  return readFileSync(resolve(file), 'utf8').split('\n')[Number(line) - 1] ?? '';
}

test('every step is shown with the value, its spelling, how it was read and the mapping line', async () => {
  const { code, stdout } = await runHere(
    'explain',
    'curl',
    'http://host/api/topup/',
    '-H',
    `Authorization: Token ${KEY}:${PIN}`,
    '--json',
    JSON.stringify(FIELDS),
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/^1 {2}read +POST \/api\/topup\/ {2}\(6 body and 0 query fields\)$/m);
  expect(stdout).toMatch(/^2 {2}route +buy_airtime: /m);
  expect(stdout).toMatch(/^3 {2}key +an API key, with a PIN, fingerprint [0-9a-f]+$/m);
  expect(stdout).toMatch(/^4 {2}format +B: .*mobile_number/m);
  expect(stdout).toMatch(/^ +phone = 08051234567 {2}from mobile_number, as \w+ {2}\S+\.yaml:\d+$/m);
  expect(stdout).toMatch(/^ +amount = 1,?000\.00 naira {2}from amount, as naira {2}\S+\.yaml:\d+$/m);
  expect(stdout).toMatch(/^ +not known here, dropped: color$/m);
  expect(stdout).toMatch(/^6 {2}v1 call +POST \/airtime \{.*"phone":"08051234567".*\}$/m);
  for (const outcome of ['a success', 'a pending order', 'a failure'])
    expect(stdout).toMatch(new RegExp(`^reply to ${outcome} \\(HTTP \\d+`, 'm'));
  for (const [, field, place] of stdout.matchAll(/^ +(?:5 {2}fields +)?(\w+) = \S+(?: naira)? {2}from .*? {2}(\S+:\d+)$/gm))
    expect(lineAt(place!)).toContain(field!);
});

test('a key or PIN in the address, in the name of a field or in a refusal is not printed', async () => {
  const sale = JSON.stringify({ ...FIELDS, [KEY]: 1, [PIN]: 1 });
  for (const [path, body] of [
    ['/api/topup/', sale],
    [`/api/${KEY}/${PIN}/topup/`, sale],
    ['/api/topup/', `{"${PIN}":1,"${PIN}":2}`],
  ]) {
    const { stdout } = await explainText(`POST ${path} HTTP/1.1\nAuthorization: Token ${KEY}:${PIN}\n\n${body}`);
    expect(stdout).toContain(':value');
    expect(stdout).not.toMatch(new RegExp(`${KEY}|${PIN}`));
  }
});

test('a saved body that is not UTF-8 is refused as the gateway refuses it', async () => {
  const sale = JSON.stringify({ network: 1, mobile_number: '08031234567', amount: 100, airtime_type: 'café' });
  const text = `POST /api/topup/ HTTP/1.1\nAuthorization: Token ${KEY}\nContent-Type: application/json\n\n${sale}`;
  expect((await explainText(text)).code).toBe(0);
  const { code, stdout } = await explainText(Buffer.from(text, 'latin1'));
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('REFUSED unreadable_body') });
});

const BODY = JSON.stringify({ network: 1, mobile_number: '08031234567', amount: 100 });
// Each form of a paste has its rows in test/operator/paste.
test.each<[string, string]>([
  ['a curl command', `curl http://h/api/topup/ -H 'Authorization: Token ${KEY}' -d '${BODY}'`],
  [
    'a multipart form',
    `curl -XPOST http://h/api/topup/ -H 'Authorization: Token ${KEY}' -F network=1 -F mobile_number=08031234567 -F amount=100`,
  ],
  [
    'raw HTTP in chunks',
    `POST /api/topup/ HTTP/1.1\nAuthorization: Token ${KEY}\nTransfer-Encoding: chunked\n\n${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`,
  ],
])('%s means the same sale', async (_what, text) => {
  const { code, stdout } = await explainText(text, '--json');
  const { call } = JSON.parse(stdout) as { call: unknown };
  expect({ code, call }).toMatchObject({
    code: 0,
    call: { method: 'POST', path: '/airtime', body: { network: 'MTN', phone: '08031234567', amount: 100 } },
  });
  expect(stdout).not.toContain(KEY);
});

test('a request that would be refused shows the words of the refusal, and the exit code is 1', async () => {
  const { code, stdout } = await explainText(
    `curl h/api/topup/ -H 'Authorization: Token ${KEY}' -d 'network=1&mobile_number=123&amount=100'`,
  );
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ {3}REFUSED +4\d\d \w+: .*mobile_number/m);
  expect(stdout).not.toMatch(/^reply to/m);
});

test('a body that cannot be read as fields is refused at the reading step', async () => {
  const { code, stdout } = await explainText(`curl h/api/topup/ -H 'Authorization: Token ${KEY}' --json '{"a":'`);
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^1 {2}read +REFUSED \w+: .+\n$/) });
});

test('no key, PIN or token is printed, however it was sent', async () => {
  const word = fc.stringMatching(/^[a-z]{3,8}_[A-Za-z0-9]{12,24}$/);
  const pin = fc.stringMatching(/^[1-9][0-9]{5}$/).filter((digits) => !'08031234567'.includes(digits));
  const sending = fc.constantFrom<(key: string, secret: string) => string>(
    (key, secret) => `-H 'Authorization: Token ${key}:${secret}'`,
    (key, secret) => `-H 'Authorization: Bearer ${key}:${secret}'`,
    (key, secret) => `-H 'token: ${key}:${secret}'`,
    (key, secret) => `-u '${key}:${secret}'`,
    (key, secret) => `-H 'Authorization: Basic ${key}:${secret}'`,
    (key, secret) => `-H 'Authorization: Token ${key}' -d pin=${secret}`,
    (key, secret) => `-H 'Authorization: Token ${key}' -d api_key=${key} -d transaction_pin=${secret}`,
    (key, secret) => `-H 'Authorization: Token ${key}' -H 'Cookie: s=${secret}' --url-query token=${key}`,
  );
  await fc.assert(
    fc.asyncProperty(
      word,
      pin,
      sending,
      fc.constantFrom('/api/topup/', '/api/user/', '/api/nowhere/'),
      fc.boolean(),
      async (key, secret, how, path, asJson) => {
        const text = `curl http://h${path} ${how(key, secret)} -d network=1 -d mobile_number=08031234567 -d amount=100`;
        const { stdout, stderr } = await explainText(text, ...(asJson ? ['--json'] : []));
        const said = `${stdout}${stderr}`;
        expect(said).not.toContain(key);
        expect(said).not.toContain(secret);
        expect(said).not.toContain(Buffer.from(`${key}:${secret}`).toString('base64').slice(0, 16));
      },
    ),
    { numRuns: 25 },
  );
});

test("without the gateway's secret no fingerprint is shown and no secret is made", async () => {
  process.env['GATEWAY_SECRET'] = '';
  process.env['DATA_DIR'] = join(dataDir, 'nowhere');
  const curl = ['curl', 'http://host/api/user/', '-H', `Authorization: Token ${KEY}:${PIN}`];
  const { code, stdout } = await runHere('explain', ...curl);
  expect(code).toBe(0);
  expect(stdout).toContain("an API key, with a PIN (no fingerprint: the gateway's secret is not here)\n");
  expect((await runHere('explain', '--json', ...curl)).stdout).not.toContain('"fingerprint"');
  expect(existsSync(join(dataDir, 'nowhere'))).toBe(false);
});

test('a request without a key says so and shows no fingerprint', async () => {
  const { stdout } = await runHere('explain', '--no-replies', 'curl', 'http://h/api/topup', '-d', 'network=MTN');
  expect(stdout).toMatch(/^3 {2}key +no key was sent$/m);
});

test('a past order is explained by its story while the gateway runs: the rule of each field that was read, and of each that is told', async () => {
  await withHouse({ dataDir }, async (house) => {
    await send(house.url, '/api/topup/', { ...FIELDS, network: 1, mobile_number: '08031234567', 'request-id': 'past-1' });
    const { code, stdout, stderr } = await runHere('explain', '--order', 'past-1');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^operation +buy_airtime: .+ {2}\S+\.yaml:\d+$/m);
    expect(stdout).toMatch(/^format +B: .*mobile_number/m);
    expect(stdout).toMatch(/^mapping +[0-9a-f]{16}$/m);
    expect(stdout).toMatch(/^field +phone = \S*4567 {2}from mobile_number {2}\S+\.yaml:\d+$/m);
    expect(stdout).toMatch(/^field +amount = 1,?000\.00 naira {2}from amount/m);
    expect(stdout).toMatch(/^stands +succeeded: v1 confirmed it, since \d{4}-\d\d-\d\d [\d:]{8} \(Africa\/Lagos\)$/m);
    const reference = /^v1 reference +(\S+)$/m.exec(stdout)![1]!;
    expect(stdout).toMatch(/^charged +\S+ naira$/m);
    expect(stdout).toMatch(/^reply to a success \(HTTP 200; as its script hears it when it asks now\)$/m);
    expect(stdout).toMatch(new RegExp(`^  ident +${reference} +<- \\$order\\.reference`, 'm'));
    expect(stdout).not.toMatch(/sandbox_demo|1234:|\b1234\b/);
    const without = await runHere('explain', '--order', 'past-1', '--no-replies');
    expect(without.stdout).toBe(`${stdout.slice(0, stdout.indexOf('\nreply to '))}\n`);
    expect(await runHere('explain', '--order', 'past-1', '--json')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/'--order <id>' cannot be used with option '--json'/),
    });
    expect(await runHere('explain', '--order', 'past-2')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no order past-2 in the journal.\n',
    });
  });
});

test.each([[['blah']], [['blah', 'blub']], [['first-a']]])(
  '%j is refused with one sentence that says what a request is, and exit code 2',
  async (words) => {
    expect(await runHere('explain', ...words)).toEqual({
      code: 2,
      stdout: '',
      stderr: `'${words.join(' ')}' is neither a request nor an address: expected a curl command line, a raw HTTP request in quotes, or --file with one of them (see \`compat-gateway explain --help\`).\n`,
    });
  },
);

test.each([[['GET', '/api/data_plans']], [['GET /api/data_plans']], [['http://host/api/data_plans']], [['host/api/data_plans']]])(
  '%j is accepted as a request',
  async (words) => {
    expect((await runHere('explain', ...words)).stdout).toMatch(/^1  read +GET \/api\/data_plans /);
  },
);
