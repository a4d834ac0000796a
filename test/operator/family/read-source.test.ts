import { readSource } from '../../../src/operator/family/read-source';

test('the source of a PHP script shows its addresses, fields and headers, and its limits and conditions with their lines', () => {
  const found = readSource(`<?php
$curl = curl_init($host . '/api/topup/');
curl_setopt_array($curl, [
    CURLOPT_TIMEOUT => 30,
    CURLOPT_HTTPHEADER => ["Authorization: Token secret-key", 'Accept: application/json'],
    CURLOPT_POSTFIELDS => json_encode(['network' => 1, "mobile_number" => $phone]),
]);
$reply = json_decode(curl_exec($curl), true);
if ($reply['Status'] == 'successful') { deliver(); }
`);
  expect(found).toEqual({
    paths: ['/api/topup/'],
    fields: ['network', 'mobile_number'],
    bodies: [],
    headers: { Authorization: '…', Accept: 'application/json' },
    userAgent: undefined,
    limits: [{ line: 4, text: 'CURLOPT_TIMEOUT => 30,' }],
    conditions: [{ line: 9, text: "if ($reply['Status'] == 'successful') { deliver(); }" }],
  });
});

test('JSON built by joining strings shows its fields', () => {
  expect(readSource('$body = "{\\"phone\\": \\"$phone\\", \\"bypass\\": true}";').fields).toEqual(['phone', 'bypass']);
});

test('handwritten JSON shows its fields in their order and is recognised as not written by an encoder', () => {
  const source = `CURLOPT_POSTFIELDS =>'{
    "network": "'.$id.'",
    "request-id" : "'.$ref.'"
  }', CURLOPT_ENCODING => '', $other = '{"a":1,"b":"'.$b.'"}';`;
  expect(readSource(source)).toMatchObject({
    bodies: [
      { fields: ['network', 'request-id'], isByHand: true },
      { fields: ['a', 'b'], isByHand: false },
    ],
    headers: { 'Accept-Encoding': 'gzip' },
  });
});

test.each([
  ["Http::withToken($key)->post('/api/topup/')", 'GuzzleHttp/7'],
  ["await axios.post(base + '/api/topup/', body)", 'axios/1'],
  ["requests.post(BASE + '/api/topup/')", 'python-requests/2'],
  ["CURLOPT_USERAGENT => 'MyShop/2',", 'MyShop/2'],
  ["'User-Agent: Mozilla/5.0',", 'Mozilla/5.0'],
  ['curl_init($url)', undefined],
])('the source %j sends the User-Agent %j', (line, agent) => {
  expect(readSource(line).userAgent).toBe(agent);
});

test('shown source lines have their keys and PINs masked and contain no terminal control characters', () => {
  const key = 'acme_live_51HxYzKq9PaLmNoPqRsT';
  const { limits, conditions } = readSource(
    [
      `curl_setopt_array($c, [CURLOPT_TIMEOUT => 9, CURLOPT_HTTPHEADER => ["Authorization: Token ${key}:7351"]]);`,
      `if ($reply['status'] == 'success' && $api_key == '${key}') \u001b[2J`,
      `if ($r->status == 'success' && $pin == '7351') {}`,
    ]
      .join('\n')
      .replace('\\u001b', '\u001b'),
  );
  const shown = [...limits, ...conditions].map(({ text }) => text).join('\n');
  expect(shown).toContain('CURLOPT_TIMEOUT => 9');
  expect(shown).toContain("$reply['status'] == 'success'");
  expect(shown).not.toContain(key);
  expect(shown).not.toContain('7351');
  expect(shown).not.toContain('\u001b');
});

test('an empty source and a source of one huge line are read without findings', () => {
  expect(readSource('')).toMatchObject({ paths: [], fields: [], conditions: [] });
  expect(readSource(`'${'a'.repeat(5_000_000)}'`).fields).toEqual([]);
});
