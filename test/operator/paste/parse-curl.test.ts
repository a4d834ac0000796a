import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCurl } from '../../../src/operator/paste/parse-curl';
import { newFolder } from '../../new-folder';

const FORM = 'Content-Type: application/x-www-form-urlencoded';

function read(...words: readonly string[]) {
  const { body, ...request } = parseCurl(['curl', ...words]);
  return { ...request, body: body.toString() };
}

test.each<[readonly string[], Partial<ReturnType<typeof read>>]>([
  [['http://x'], { method: 'GET', target: '/', headers: [], body: '' }],
  [['x.example/api/user/'], { method: 'GET', target: '/api/user/' }],
  [['https://x/a?b=c', '-d', 'd=e'], { method: 'POST', target: '/a?b=c', headers: [FORM], body: 'd=e' }],
  [['http://x', '-d', 'a=1', '--data', 'b=2', '--data-raw', '@c'], { body: 'a=1&b=2&@c' }],
  [['-XPUT', 'http://x', '-da=1'], { method: 'PUT', body: 'a=1' }],
  [['-sSkXPOST', '--url', 'http://x'], { method: 'POST', target: '/' }],
  [
    ['-sSL', '--compressed', '-m', '30', '--connect-timeout', '5', '-o', '/dev/null', '-w', '%{http_code}', 'http://x/a'],
    { target: '/a' },
  ],
  [['-G', 'http://x/a?b=1', '-d', 'c=2', '--data-urlencode', 'd=e f'], { method: 'GET', target: '/a?b=1&c=2&d=e%20f', body: '' }],
  [['-I', 'http://x'], { method: 'HEAD' }],
  [['http://x', '--url-query', 'a=b c'], { method: 'GET', target: '/?a=b%20c' }],
  [['http://x', '--data-urlencode', 'phone=+234 80'], { body: 'phone=%2B234%2080' }],
  [['http://x', '--data-urlencode', '=a&b'], { body: 'a%26b' }],
  [
    ['http://x', '--json', '{"a":1}'],
    { method: 'POST', headers: ['Content-Type: application/json', 'Accept: application/json'], body: '{"a":1}' },
  ],
  [['http://x', '-H', 'content-type:text/plain', '-d', 'a'], { headers: ['content-type:text/plain'] }],
  [['http://x', '-u', 'key:1234'], { headers: [`Authorization: Basic ${Buffer.from('key:1234').toString('base64')}`] }],
  [['http://x', '--oauth2-bearer', 'K'], { headers: ['Authorization: Bearer K'] }],
  [['http://x', '-A', 'MyScript', '-e', 'http://y'], { headers: ['User-Agent: MyScript', 'Referer: http://y'] }],
  [['http://x/a', '|', 'jq', '.status'], { target: '/a' }],
  [['http://x/a', '--next', 'http://x/b', '-d', 'a=1'], { method: 'GET', target: '/a', body: '' }],
  [['-d', '-1', 'http://x'], { body: '-1' }],
  [['http://x/a', '-b', 'session=1', '-x', 'http://proxy:3128'], { target: '/a', headers: [] }],
])('the curl arguments %j are read', (words, expected) => {
  expect(read(...words)).toMatchObject(expected);
});

test('a form is written as curl writes it, with only the names of its files', () => {
  const { method, headers, body } = read(
    'http://x',
    '-F',
    'phone=0803;type=text/plain',
    '-F',
    'proof=@/etc/passwd',
    '--form-string',
    'a=@b',
  );
  expect(method).toBe('POST');
  expect(headers[0]).toMatch(/^Content-Type: multipart\/form-data; boundary=\S+$/);
  expect(body).toContain('name="phone"\r\n\r\n0803\r\n');
  expect(body).toContain('name="proof"; filename="passwd"\r\n\r\n\r\n');
  expect(body).toContain('name="a"\r\n\r\n@b\r\n');
  expect(body).not.toContain('root:');
});

test('data of -d @file is read from the file as curl reads it', () => {
  const folder = newFolder();
  const file = join(folder, 'body.json');
  writeFileSync(file, '{"a":\r\n1}\n');
  expect(read('http://x', '-d', `@${file}`).body).toBe('{"a":1}');
  expect(read('http://x', '--data-binary', `@${file}`).body).toBe('{"a":\r\n1}\n');
  expect(read('http://x', '--data-urlencode', `a@${file}`).body).toBe('a=%7B%22a%22%3A%0D%0A1%7D%0A');
  writeFileSync(file, Buffer.from('{"a":"é"}', 'latin1'));
  expect(() => read('http://x', '--data-binary', `@${file}`)).toThrow(
    /body\.json, which is not UTF-8: the gateway refuses it\.$/,
  );
});

test.each<[readonly string[], string]>([
  [[], 'The curl command names no address.'],
  [['http://x', '-H'], 'The curl command ends at -H, which needs a value.'],
  [['http://[x'], 'The curl command names an address that cannot be read.'],
  [['http://x', '-d', '@nowhere.json'], 'The curl command sends the file nowhere.json, which cannot be read here.'],
])('the curl arguments %j are refused with the message %j', (words, sentence) => {
  expect(() => read(...words)).toThrow(sentence);
});
