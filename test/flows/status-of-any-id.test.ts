/** Whatever request id was sold can be asked for: encoded or not, on every status route, by fetch, PHP's cURL and bare bytes. */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { hasPhp } from '../php/run-script';
import { send, useHouse, type Told } from './house';

const IDS = [
  'INV/2026/0042',
  '/INV/1/',
  'A//B',
  'a\\b',
  'tab\there',
  'line\nbreak',
  'line\r\nbreak',
  '.',
  '..',
  '../x',
  'x/..',
  'a/./b',
  'a/../../b',
  '%25',
  '100%',
  '%2F',
  'a%2Fb',
  'a+b',
  'b c',
  'naïve-₦500',
  'requery/7',
  'a?b',
  'a#b',
  'a&b=c',
  'AIRTIMEPIN|1-2',
] as const;
const ROUTES = ['transaction', 'data', 'topup', 'airtime', 'cable', 'bill', 'epin', 'data/requery', 'electricity/requery'];

const house = useHouse();
const references = new Map<string, string>();

beforeAll(async () => {
  for (const [index, id] of IDS.entries()) {
    const sale = { network: 1, mobile_number: '08031234567', amount: 100 + index, 'request-id': id };
    const { body } = await send(house.url, '/api/topup/', sale);
    expect([id, body.status]).toEqual([id, 'success']);
    references.set(id, body.reference);
  }
});

/** The path as it stands, which fetch would change. */
async function getBare(path: string): Promise<Told['body']> {
  const socket = connect(Number(new URL(house.url).port), '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Token sandbox_demo:1234\r\nConnection: close\r\n\r\n`);
  const answer = await text(socket);
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4).replace(/^[0-9a-f]+\r\n([^]*?)\r\n0\r\n\r\n$/, '$1'));
}

const sold = (id: string) => ({ id, status: 'success', reference: references.get(id) });
const told = (id: string, { status, reference }: Told['body']) => ({ id, status, reference });

test.each(IDS)('%j, encoded, at every address', async (id) => {
  // A whole path of dots is one that fetch takes for a way up, encoded or not.
  const encoded = encodeURIComponent(id).replaceAll('.', '%2E');
  for (const route of ROUTES) {
    expect(told(id, await getBare(`/api/${route}/${encoded}`))).toEqual(sold(id));
    expect(told(id, await getBare(`//api//${route}/${encoded}/`))).toEqual(sold(id));
  }
  for (const name of ['reference', 'request-id', 'request_id', 'ref', 'id'])
    expect(told(id, await getBare(`/api/transaction/status/?${name}=${encoded}`))).toEqual(sold(id));
});

// A line break ends a request line; `?` and `#` end a path.
test.each(IDS.filter((id) => !/[\r\n?#]/.test(id)))('%j, as it stands, at every address', async (id) => {
  for (const route of ROUTES) {
    // These two are the address of another order, which was not sold.
    if (route === 'data' && id === 'requery/7') continue;
    expect(told(id, await getBare(`/api/${route}/${id}`))).toEqual(sold(id));
  }
});

const SCRIPT = `
$curl = curl_init();
foreach (json_decode(stream_get_contents(STDIN), true) as [$path, $asIs]) {
  curl_setopt_array($curl, [CURLOPT_URL => $argv[1] . $path, CURLOPT_RETURNTRANSFER => true, CURLOPT_PATH_AS_IS => $asIs,
    CURLOPT_HTTPHEADER => ['Authorization: Token sandbox_demo:1234']]);
  echo json_encode(json_decode((string) curl_exec($curl))->reference ?? null), "\\n";
}`;

(hasPhp ? test : test.skip)('PHP’s cURL asks for all of them, as rawurlencode and urlencode write them', async () => {
  const asked = IDS.flatMap((id) => {
    const raw = encodeURIComponent(id);
    // Dots are never encoded; cURL walks up by them unless it is told not to.
    return [raw, raw.replaceAll('%20', '+')].map((spelling) => ({ id, path: `/api/transaction/${spelling}` }));
  });
  const php = spawn('php', ['-r', SCRIPT, house.url], { stdio: ['pipe', 'pipe', 'inherit'] });
  php.stdin.end(JSON.stringify(asked.map(({ path }) => [path, true])));
  const lines = (await text(php.stdout)).trim().split('\n');
  expect(lines.map((line, index) => [asked[index]!.path, JSON.parse(line)])).toEqual(
    asked.map(({ id, path }) => [path, references.get(id)]),
  );
});

test.each([
  '/api/transaction/never/was',
  '/api/transaction/%zz',
  '/api/transaction/.../..',
  '/api/data/requery/../y',
  '/api/bill/a\tb c',
])('%s, which nobody sold, is looked for and not called a failure', async (path) => {
  const { message, Status } = await getBare(path);
  expect([message, Status]).toEqual([expect.stringMatching(/^There is no order /), 'processing']);
});

// A head is mended only if its rest comes with the byte that breaks it. What cannot be read is no end of the order that it asks about.
test.each([
  ['in two packets', ['GET /api/transaction/b c HTTP/1.1\r\nHost: x\r\n', 'Authorization: Token sandbox_demo:1234\r\n\r\n']],
  ['with a POST', ['POST /api/transaction/b c HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n']],
  ['below the address of a purchase', ['GET /api/data/b c HTTP/1.1\r\nHost: x\r\n', '\r\n']],
  ['whose whole address is sent', ['GET http://x/api/transaction/b HTTP/1.1\r\nA B: c\r\n\r\n']],
  ['with its method in lower case', ['get /api/transaction/b HTTP/1.1\r\nHost: x\r\n\r\n']],
  ['in its second packet', ['GET /api/transaction/b HTTP/1.1\r\n', 'A B: c\r\n\r\n']],
  ['under headers that are too large', [`GET /api/transaction/b HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`]],
])('a question that is broken HTTP, %s, is not told a failure', async (_how, packets) => {
  const socket = connect(Number(new URL(house.url).port), '127.0.0.1');
  for (const packet of packets) {
    socket.write(packet);
    await setTimeout(50);
  }
  const answer = await text(socket);
  const { status, Status, error } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
  expect([answer.slice(0, 12), status, Status, error]).toEqual(['HTTP/1.1 202', 'pending', 'processing', undefined]);
});

test.each([
  ['several Host headers', 400, 'GET /api/v1/balance HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
  ['a malformed header', 400, 'GET //api/v1/balance HTTP/1.1\r\nA B: c\r\n\r\n'],
  ['headers that are too large', 431, `GET /api/v1 HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`],
  ['a malformed chunk', 400, 'POST /api/v1/airtime HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
])('a request to v1 that is broken by %s is refused in the words of v1', async (_how, status, bytes) => {
  const socket = connect(Number(new URL(house.url).port), '127.0.0.1');
  socket.write(bytes);
  const answer = await text(socket);
  const body: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
  expect([answer.slice(9, 12), body]).toEqual([String(status), { status: 'error', message: expect.any(String) as string }]);
});
