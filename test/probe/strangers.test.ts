/** Bodies built to break a reader, forged AccessTokens, and requests for the orders of another key. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { parseRoute } from '../../src/mapping/routes';
import { MAPPINGS, openHouse, send, type Told, useHouse } from '../flows/house';
import { idOf, openRawHouse, sendBytes } from './raw-house';
import { opened } from '../opened';

describe('an odd or hostile body', () => {
  const raw = opened(openRawHouse);

  /** `$f` are the fields of a purchase in JSON, `$p` its phone, `$i` its id, `$m` its fields as parts of a multipart body. */
  const JSON_BODIES = [
    `{$f,"x":${'['.repeat(9)}${']'.repeat(9)}}`, `{$f,"x":${'{"y":'.repeat(50_000)}`, `${'['.repeat(100_000)}`, `{$f,"x":"${'y'.repeat(300_000)}"}`,
    `{$f,${Array.from({ length: 300 }, (_, at) => `"x${at}":1`).join()}}`, `{$f,"x":{${Array.from({ length: 3_000 }, (_, at) => `"x${at}":1`).join()}}}`,
    '{$f,"phone":"$p"}', '{$f,"phone":"08030000000"}', '{$f,"mobile_number":"08030000000"}', '{$f,"\\u0070hone":"08030000000"}', '{$f,"amount":"100.01"}',
    '{$f,"__proto__":{"isAdmin":true}}', '{$f,"constructor":{"prototype":{"isAdmin":true}}}', '{$f,"x":{"__proto__":{"isAdmin":true}}}', '{$f,"\\u005f_proto__":1}', '{$f,"x\\u0000":1}',
    '{"phone":"$p","network":1,"amount":1e400,"request-id":"$i"}', '{"phone":"$p","network":1,"amount":100.00000000000000001,"request-id":"$i"}', '{"phone":"$p","network":1,"amount":-100,"request-id":"$i"}',
    '{"phone":"$p","network":1,"amount":0,"request-id":"$i"}', '{"phone":"$p","network":1,"amount":9007199254740993,"request-id":"$i"}', '{"phone":"$p","network":1,"amount":"\uff11\uff10\uff10","request-id":"$i"}',
    '{"phone":"$p","network":1,"amount":"100\\u0000","request-id":"$i"}', '{"phone":"$p","network":1,"amount":0x64,"request-id":"$i"}', '{"phone":"$p","network":1,"amount":NaN,"request-id":"$i"}',
    '{"phone":"$p","network":1,"amount":[100],"request-id":"$i"}', '{"phone":"$p","network":1,"amount":{"$gt":0},"request-id":"$i"}', '{"phone":"$p","network":1,"amount":null,"request-id":"$i"}',
    '{"phone":"$p","network":{"x":1},"amount":100,"request-id":"$i"}', '{"phone":["$p","08030000000"],"network":1,"amount":100,"request-id":"$i"}', '{"phone":"$p\\u0000","network":1,"amount":100,"request-id":"$i"}',
    '{"phone":"$p\\r\\nX: y","network":1,"amount":100,"request-id":"$i"}', '{"phone":"$p\\ud800","network":1,"amount":100,"request-id":"$i"}', '{"phone":0$p,"network":1,"amount":100,"request-id":"$i"}',
    '{$f}{$f}', '{$f} x', '{$f,}', "{'phone':'$p'}", '{$f/* */}', '\0{$f}', ")]}',{$f}", '[{$f}]', '"{$f}"', '{$f', '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>', 'a:1:{s:5:"phone";}',
    '{$f,"x":"\xff"}', '{$f,"x":"\xc0\xaf"}', '\xff\xfe{\0$f}\0', '{$f,"x":"\xed\xa0\x80"}', 'PK\x03\x04{$f}',
  ]; // prettier-ignore
  const FORM = 'network=1&phone=$p&amount=100&bypass=1&request-id=$i';
  const FORM_BODIES = [
    `${FORM}&phone=08030000000`, `${FORM}&phone[]=1`, `${FORM}&phone[x]=1`, `${FORM}&x${'[y]'.repeat(50)}=1`, `${FORM}&__proto__[isAdmin]=1`, `${FORM}&x=%zz`, `${FORM}&x=%ff`, `${FORM}&x=%00`,
    `${FORM}&%00=1`, FORM.replaceAll('&', ';'), `${FORM}&amount%00=1`, `${FORM}&%61mount=200`, `${FORM}&${Array.from({ length: 300 }, (_, at) => `x${at}=1`).join('&')}`,
  ]; // prettier-ignore
  const PARTS = 'network=1 phone=$p amount=100 bypass=1 request-id=$i'.split(' ').map((pair) => pair.split('='));
  const part = (name: string, text: string, more = '') =>
    `--B\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;
  const MULTIPART = PARTS.map(([name, text]) => part(name!, text!)).join('');
  const MULTIPART_BODIES = [
    `${MULTIPART}`, `${MULTIPART}${part('phone', '08030000000')}--B--`, `${MULTIPART}${part('x', 'y', '; filename="x.php"')}--B--`, `${MULTIPART}--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B--`,
    `${MULTIPART}--B\r\nX: ${'y'.repeat(100_000)}\r\n\r\nx\r\n--B--`, `${MULTIPART}${part('__proto__', 'x')}--B--`, `${MULTIPART}${Array.from({ length: 5_000 }, (_, at) => part(`x${at}`, '')).join('')}--B--`,
    `${MULTIPART}--B\r\nContent-Type: multipart/mixed; boundary=C\r\n\r\n--C\r\n\r\nx\r\n--C--\r\n--B--`, `${MULTIPART}${part('x\r\nX: y', 'z')}--B--`, `${MULTIPART.replaceAll('--B', `--${'B'.repeat(300)}`)}--${'B'.repeat(300)}--`,
  ]; // prettier-ignore

  let count = 0;

  async function post(type: string, template: string, more = '') {
    count += 1;
    const [id, phone] = [`h${count}x`, `0803${1_000_000 + count}`];
    const text = template
      .replaceAll('$f', `"network":1,"phone":"${phone}","amount":100,"bypass":true,"request-id":"${id}"`)
      .replaceAll('$p', phone)
      .replaceAll('$i', id);
    const head = `POST /api/topup/ HTTP/1.1\r\nHost: x\r\nAuthorization: Token shop:1234\r\nContent-Type: ${type}\r\n${more}`;
    const heard = await sendBytes(raw.port, `${head}Content-Length: ${text.length}\r\n\r\n${text}`);
    return { heard, phone, sold: raw.seen.filter((request) => idOf(request) === id || request.body.includes(phone)) };
  }

  const rows = [
    ...JSON_BODIES.map((body) => ['application/json', body] as const),
    ...FORM_BODIES.map((body) => ['application/x-www-form-urlencoded', body] as const),
    ...MULTIPART_BODIES.map((body) => ['multipart/form-data; boundary=B', body] as const),
    ['multipart/form-data', `preamble\r\n${MULTIPART}--B--`] as const,
  ].map(([type, body]) => [`${type} ${JSON.stringify(body).slice(0, 60)}`, type, body] as const);

  test.each(rows)('%s is refused with a failure reply, and nothing is sent to v1', async (_title, type, body) => {
    const { heard, sold } = await post(type, body);
    expect(sold).toEqual([]);
    const [reply] = heard.replies;
    const said = JSON.parse(reply!.text) as { status: string; error: string[] };
    expect([reply!.status >= 400 && reply!.status < 500, said.status, said.error.length]).toEqual([true, 'fail', 1]);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  test.each(['gzip', 'deflate', 'br', 'x, identity', 'GZIP'])('with Content-Encoding %s is refused', async (coding) => {
    const body = gzipSync('{"x":1}').toString('latin1');
    const { heard, sold } = await post('application/json', body, `Content-Encoding: ${coding}\r\n`);
    expect([heard.replies[0]?.status, sold]).toEqual([400, []]);
  });

  test.each([
    ['application/json', '\xef\xbb\xbf {$f}'],
    ['text/plain', '{$f}'],
    ['multipart/form-data; boundary=C', '{$f}'],
    ['application/json', FORM],
    ['text/html', `${MULTIPART}--B--\r\n`],
  ])('that is odd but readable is sold, with the Content-Type %s', async (type, body) => {
    const { heard, sold, phone } = await post(type, body);
    expect([heard.replies[0]?.status, sold.length]).toEqual([200, 1]);
    expect(JSON.parse(sold[0]!.body)).toMatchObject({ phone, amount: 100, network: 'MTN' });
  });
});

describe('the key of another caller', () => {
  const house = useHouse({ env: { TRUSTED_PROXIES: '127.0.0.1' } });

  let address = 0;
  /** Sends each request from another address, so that no rate limit refuses it before its token is judged. */
  const ask = (path: string, authorization: string, body?: unknown): Promise<Told> => {
    address += 1;
    const forwarded = `198.51.${100 + (address >> 8)}.${address & 255}`;
    return send(house.url, path, body, { key: null, headers: { Authorization: authorization, 'X-Forwarded-For': forwarded } });
  };

  test('cannot be used with an AccessToken that was altered, cut, lengthened, marked otherwise or issued elsewhere', async () => {
    const login = `Basic ${Buffer.from('sandbox_demo:1234').toString('base64')}`;
    const token = (await ask('/api/user', login)).body.AccessToken as string;
    expect((await ask('/api/user', `Token ${token}`)).body.status).toBe('success');
    const other = await openHouse({ env: { GATEWAY_SECRET: 'f'.repeat(64) } });
    const foreign = (await send(other.url, '/api/user', undefined, { key: null, headers: { Authorization: login } })).body
      .AccessToken;
    await other.close();
    const flip = (letter: string): string => (letter === '0' ? '1' : '0');
    const forged: string[] = [foreign, `${token}0`, `${token}00`, token + token, `${token}:1234`, token.toUpperCase()];
    forged.push(
      token.replace(/\.a\./, '.b.'),
      token.replace(/\.a\./, '..'),
      token.replace(/\.a\./, '.a.a.'),
      token.replace('cga2', 'cga1'),
      token.replace('cga2', 'cga3'),
    );
    for (let at = 0; at < token.length; at += 1) {
      forged.push(token.slice(0, at) + flip(token[at]!) + token.slice(at + 1));
      if (at % 4 === 0 && at > 0) forged.push(token.slice(0, at));
    }
    const told = await Promise.all(
      forged.map(async (text, at) => {
        const sale = { network: 1, phone: '08031234567', amount: 100, 'request-id': `forged-${at}` };
        const { status, body } = await (at % 3 === 0
          ? ask('/api/topup/', `Token ${text}`, sale)
          : ask('/api/user', `Token ${text}`));
        return [text, status, body.status, body.balance ?? null, body.reference ?? null];
      }),
    );
    expect(told).toEqual(forged.map((text) => [text, 401, 'fail', null, null]));
  });

  test('shows nothing of an order of this key, neither at status or list addresses nor in reply to a repeat', async () => {
    const [mine, theirs] = ['Token sandbox_demo:1234', 'Token acme_live_demo:1234'];
    const PHONE = '08061234567';
    const sale = { network: 1, phone: PHONE, amount: 111, bypass: true };
    const bought = await ask('/api/topup/', mine, { ...sale, 'request-id': 'tenant-order-1' });
    const balance = await ask('/api/user', mine);
    expect([bought.body.status, balance.body.status]).toEqual(['success', 'success']);
    const ids = ['tenant-order-1', String(bought.body.id), bought.body.reference as string];
    const secrets = [PHONE, ...ids, String(bought.body.newbal)];
    const { operations } = parse(readFileSync(join(MAPPINGS, 'operations', 'status.yaml'), 'utf8')) as {
      operations: Record<string, { routes: string[] }>;
    };
    const paths = Object.values(operations).flatMap(({ routes }) => routes.flatMap(parseRoute).map(({ path }) => path));
    const spellings = ids.flatMap((id) => [id, `%20${id}`, `${id}/`, id.toUpperCase(), id.toLowerCase(), `${id}%00`, `${id}%`]);
    const asked = [
      ...new Set(
        paths.flatMap((path) =>
          spellings.map((id) => (path.includes(':id') ? path.replace(':id', id) : `${path}?reference=${id}`)),
        ),
      ),
    ];
    expect(asked.length).toBeGreaterThan(200);
    const leaks = await Promise.all(
      asked.map(async (path) => {
        const { text, body } = await ask(path, theirs);
        // The reply repeats the id in the address. It may contain nothing else of the order.
        const news = secrets.filter((secret) => text.includes(secret) && !path.toLowerCase().includes(secret.toLowerCase()));
        return news.length > 0 || (!path.includes('?') && body.status === 'success') ? [`${path}: ${text}`] : [];
      }),
    );
    expect(leaks.flat()).toEqual([]);

    const repeat = await ask('/api/topup/', theirs, { ...sale, phone: '08069999999', 'request-id': 'tenant-order-1' });
    expect([repeat.body.status, repeat.body.reference === bought.body.reference, repeat.text.includes(PHONE)]).toEqual([
      'success',
      false,
      false,
    ]);
    const again = await ask('/api/transaction/tenant-order-1', mine);
    expect([again.body.reference, again.body.mobile_number]).toEqual([bought.body.reference, PHONE]);
  });

  test('does not join an order of this key in progress with the same request id', async () => {
    const id = 'mood.late-success.tenant';
    const sale = { network: 1, amount: 100, bypass: true, 'request-id': id };
    const [first, second] = await Promise.all([
      ask('/api/topup/', 'Token sandbox_demo:1234', { ...sale, phone: '08061111111' }),
      ask('/api/topup/', 'Token acme_live_demo:1234', { ...sale, phone: '08062222222' }),
    ]);
    expect([first.body.mobile_number, second.body.mobile_number]).toEqual(['08061111111', '08062222222']);
    expect(first.body.reference).not.toBe(second.body.reference);
  });
});
