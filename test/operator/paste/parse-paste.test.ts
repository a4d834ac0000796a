import { parsePaste, PASTE_MAX } from '../../../src/operator/paste/parse-paste';

const ADDRESS = { method: 'POST', target: '/api/topup/' };

function read(text: string) {
  const { kind, request } = parsePaste(text, ADDRESS);
  return { kind, ...request, body: request.body.toString() };
}

test.each<[string, Partial<ReturnType<typeof read>>]>([
  ["curl http://h/api/data/ -d 'network=1'", { kind: 'curl command', target: '/api/data/', body: 'network=1' }],
  ["$ curl http://h/api/data/ -d 'network=1'", { kind: 'curl command', target: '/api/data/' }],
  ['POST /api/data/ HTTP/1.1\r\nHost: h\r\n\r\na=1', { kind: 'HTTP request', target: '/api/data/', body: 'a=1' }],
  ['GET /api/user/', { kind: 'HTTP request', method: 'GET', target: '/api/user/' }],
  ['{"network": 1}', { kind: 'JSON', ...ADDRESS, headers: ['Content-Type: application/json'], body: '{"network": 1}' }],
  ['network=1&amount=100', { kind: 'form fields', ...ADDRESS, body: 'network=1&amount=100' }],
  ["['network' => 1, 'amount' => '100']", { kind: 'PHP', ...ADDRESS, body: '{"network":1,"amount":"100"}' }],
])('the pasted text %s is read', (text, expected) => {
  expect(read(text)).toMatchObject(expected);
});

test('a pasted curl command cannot read a file of the machine of the gateway', () => {
  for (const text of [
    'curl http://h/ -d @/etc/passwd',
    "curl http://h/ -F 'a=</etc/passwd'",
    'curl http://h/ --data-urlencode a@/etc/passwd',
  ])
    expect(() => read(text)).toThrow('paste the content of the file instead');
});

test('an unreadable paste is refused without repeating its text', () => {
  expect(() => read('my secret key is abc')).toThrow('This cannot be read');
  expect(() => read('x'.repeat(PASTE_MAX + 1))).toThrow('longer than');
});

test.each<[string, unknown]>([
  ["['a' => 1, 'b' => [1, 2], 'c' => ['x' => null]]", { a: 1, b: [1, 2], c: { x: null } }],
  ["<?php // the sale\n$payload = array('a' => 'it\\'s', \"b\" => \"\\u{20A6}\\n\",);", { a: "it's", b: '₦\n' }],
  ["return ['a' => -5, 'b' => 1.50, 'c' => TRUE, 'd' => '$5', 'e' => \"\\$5\"];", { a: -5, b: 1.5, c: true, d: '$5', e: '$5' }],
  ["['x', 5 => 'y', 'z']", { 0: 'x', 5: 'y', 6: 'z' }],
])('the PHP array %s is read', (text, expected) => {
  expect(JSON.parse(read(text).body)).toEqual(expected);
});

test.each([
  ["['phone' => $_POST['phone']]", 'Line 1: a value here is none'],
  ['[\n\'phone\' => "0$phone"]', 'Line 2: a value here is none'],
  ["['a' => 1 + 2]", 'Line 1: a value here is none'],
  ["['a' => time()]", 'Line 1: a value here is none'],
  ["['a' => 'b]", 'Line 1: a value here is none'],
  ["['a' => 1", 'Line 1: a value here is none'],
  ["['a' => 1]; echo 'SECRET';", 'paste it alone'],
  ["curl_setopt($c, CURLOPT_POSTFIELDS, ['a' => 'SECRET']);", 'paste it alone'],
])('the PHP %s is refused with the message %j, which repeats nothing of it', (text, words) => {
  expect(() => read(text)).toThrow(words);
  expect(() => read(text)).toThrow(/^(?!.*SECRET)/s);
});
