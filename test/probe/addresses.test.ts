/** Whatever a caller writes about its own address, v1 gets only the true address, and no other header that names an address. */
import { openRawHouse, sendBytes, type RawHouse } from './raw-house';

const FORGED = '10.0.0.9';
const TRUE_BEHIND_PROXY = '198.51.100.7';
const NAMES = (
  'X-Forwarded-For X-Forwarded Forwarded Forwarded-For X-Original-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Forwarded-Server X-Forwarded-By ' +
  'X-Real-IP X-Client-IP Client-IP True-Client-IP X-True-Client-IP CF-Connecting-IP CF-Connecting-IPv6 Fastly-Client-IP Fly-Client-IP X-Cluster-Client-IP ' +
  'X-Envoy-External-Address X-Azure-ClientIP X-Azure-SocketIP Ali-CDN-Real-IP Incap-Client-IP X-Sucuri-ClientIP X-Appengine-User-IP X-Amz-Cf-Source-IP ' +
  'Remote-Addr X-Remote-Addr X-Remote-IP X-Source-IP X-Originating-IP X-Host Via Proxy X-ProxyUser-Ip WL-Proxy-Client-IP Proxy-Client-IP HTTP-Client-IP ' +
  'X-Original-URL X-Original-Host X-Rewrite-URL X-HTTP-Method-Override X-HTTP-Host-Override X-Backend-Host Destination Referer Cookie From'
).split(' ');
const VALUES = [
  FORGED,
  `${FORGED}, 127.0.0.1`,
  `for=${FORGED};proto=https`,
  `::ffff:${FORGED}`,
  `127.0.0.1, ${FORGED}`,
  `"[${FORGED}]:80"`,
];
const SPELLINGS: Readonly<Record<string, (name: string, value: string) => string>> = {
  'as it is': (name, value) => `${name}: ${value}`,
  'in small letters': (name, value) => `${name.toLowerCase()}: ${value}`,
  'in capitals, no blank': (name, value) => `${name.toUpperCase()}:${value}`,
  'with underscores': (name, value) => `${name.replaceAll('-', '_')}: ${value}`,
  'with dots': (name, value) => `${name.replaceAll('-', '.')}: ${value}`,
  mixed: (name, value) => `${name.replace('-', '_').replace('-', '.')}:\t${value}\t`,
  twice: (name, value) => `${name}: ${value}\r\n${name}: ${FORGED}`,
  'under Connection': (name, value) => `Connection: close, ${name}, X-Forwarded-For\r\n${name}: ${value}`,
  'as HTTP_': (name, value) => `HTTP_${name.replaceAll('-', '_')}: ${value}`,
};
/** The headers that v1 may get. */
const ALLOWED =
  /^(?:accept|accept-encoding|authorization|connection|content-length|content-type|host|user-agent|x-forwarded-for)$/;

let plain: RawHouse;
let proxied: RawHouse;
beforeAll(async () => {
  [plain, proxied] = await Promise.all([
    openRawHouse(),
    openRawHouse({ TRUSTED_PROXIES: '127.0.0.1', PASSTHROUGH_HEADERS: 'X-Tenant' }),
  ]);
});
afterAll(() => Promise.all([plain.close(), proxied.close()]));

interface Caller {
  readonly house: () => RawHouse;
  readonly localAddress: string;
  /** A header that follows every forged header. */
  readonly last: string;
  readonly address: string;
}

const CALLERS: Readonly<Record<string, Caller>> = {
  'a stranger': { house: () => plain, localAddress: '127.0.0.1', last: '', address: '127.0.0.1' },
  'a stranger beside the proxy': { house: () => proxied, localAddress: '127.0.0.2', last: '', address: '127.0.0.2' },
  'a caller behind the proxy': {
    house: () => proxied,
    localAddress: '127.0.0.1',
    last: `\r\nX-Forwarded-For: ${TRUE_BEHIND_PROXY}`,
    address: TRUE_BEHIND_PROXY,
  },
};

let count = 0;

/** Sends one purchase with these forged headers and returns the faults: wrong replies, addresses and headers. */
async function play(caller: Caller, isWalk: boolean, headers: string): Promise<string[]> {
  const { port, seen } = caller.house();
  const id = `f${String((count += 1)).padStart(5, '0')}`;
  const phone = `0803${String(1_000_000 + count)}`;
  const body = JSON.stringify({ network: isWalk ? 1 : 'MTN', phone, amount: 100, bypass: true, 'request-id': id });
  const key = isWalk ? 'Token shop:1234' : 'Bearer shop';
  const head = `POST ${isWalk ? '/api/topup/' : `/api/v1/airtime?id=${id}`} HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\nContent-Type: application/json`;
  const bytes = `${head}\r\n${headers}${caller.last}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const { replies } = await sendBytes(port, bytes, { localAddress: caller.localAddress });
  const [request, ...others] = seen.filter(({ target, body: text }) => `${target}${text}`.includes(id));
  const addresses = request?.headers.filter(([name]) => name === 'x-forwarded-for').map(([, value]) => value);
  const faults = [
    ...(replies[0]?.status === 200 && others.length === 0 ? [] : [`got the reply ${replies[0]?.status} ${replies[0]?.text}`]),
    ...(addresses?.join() === caller.address ? [] : [`v1 got the address ${addresses?.join()}`]),
    ...(request?.headers ?? [])
      .filter(([name, value]) => !ALLOWED.test(name) || value.includes(FORGED))
      .map((header) => header.join(': ')),
  ];
  return faults.map((fault) => `${headers}: ${fault}`);
}

describe.each(Object.keys(CALLERS))('the address of %s', (who) => {
  const isElsewhere = CALLERS[who]!.localAddress !== '127.0.0.1';
  const onLinux = process.platform === 'linux' || !isElsewhere ? test : test.skip;
  const forgeries = Object.entries(SPELLINGS).flatMap(([, spell], index) =>
    NAMES.map((name, at) => spell(name, VALUES[(index + at) % VALUES.length]!)),
  );

  onLinux.each([
    ['past the walk', false],
    ['through the walk', true],
  ])(`is the only one that v1 gets %s, whatever ${forgeries.length} forged headers say`, async (_title, isWalk) => {
    const rows = isWalk ? forgeries.filter((_, index) => index % 7 === 0) : [...forgeries];
    const faults: string[] = [];
    while (rows.length > 0)
      faults.push(...(await Promise.all(rows.splice(0, 24).map((row) => play(CALLERS[who]!, isWalk, row)))).flat());
    expect(faults).toEqual([]);
  });
});

test('a request is refused and not sent to v1 when the proxy forwards no valid address', async () => {
  const sent = proxied.seen.length;
  for (const entry of [
    'unknown',
    '_hidden',
    '10.0.0',
    '127.1',
    '0177.0.0.1',
    '2130706433',
    '1.2.3.4.5',
    '::g',
    'fe80::1%eth0',
    '1.2.3.4, x',
    '<x>',
    '',
  ]) {
    const head = `POST /api/v1/airtime HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer shop\r\nX-Forwarded-For: ${entry}\r\n`;
    const { replies } = await sendBytes(proxied.port, `${head}Content-Length: 2\r\n\r\n{}`);
    expect([entry, replies[0]?.status]).toEqual([entry, 400]);
  }
  expect(proxied.seen).toHaveLength(sent);
});
