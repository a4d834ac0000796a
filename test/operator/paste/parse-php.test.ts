import { parsePhp } from '../../../src/operator/paste/parse-php';

function read(text: string) {
  const { body, ...request } = parsePhp(text, { method: 'POST', target: '/api/topup/' });
  return { ...request, body: body.toString() };
}
const JSON_TYPE = 'Content-Type: application/json';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';

test('a curl_setopt_array script as Postman writes it is read', () => {
  const script = `<?php
$curl = curl_init();
curl_setopt_array($curl, array(
  CURLOPT_URL => 'https://shop.example/api/topup/',
  CURLOPT_RETURNTRANSFER => true,
  CURLOPT_TIMEOUT => 0,
  CURLOPT_CUSTOMREQUEST => 'POST',
  CURLOPT_POSTFIELDS =>'{"network": 1, "mobile_number": "08031234567"}',
  CURLOPT_HTTPHEADER => array(
    'Authorization: Token abc:1234', // the key
    'Content-Type: application/json'
  ),
));
$response = curl_exec($curl);
curl_close($curl);
if ($response) { echo $response; }`;
  expect(read(script)).toEqual({
    method: 'POST',
    target: '/api/topup/',
    headers: ['Authorization: Token abc:1234', JSON_TYPE],
    body: '{"network": 1, "mobile_number": "08031234567"}',
  });
});

test('a script that builds its fields from variables is read', () => {
  const script = `
    $host = 'https://shop.example';
    $phone = "0803" . '1234567';
    $data = array('network' => 1, 'amount' => (int) "100", "Ported_number" => true);
    $data['mobile_number'] = $phone;
    $ch = curl_init("$host/api/data/");
    curl_setopt($ch, CURLOPT_POST, 1);
    curl_setopt($ch, CURLOPT_POSTFIELDS, json_encode($data, JSON_UNESCAPED_SLASHES | JSON_PRETTY_PRINT));
    curl_setopt($ch, CURLOPT_HTTPHEADER, ['Authorization: Token ' . $apiKey, "Content-Type: application/json"]);
    $result = json_decode(curl_exec($ch), true);
    foreach ($result as $row) { echo $row; }`;
  expect(read(script)).toEqual({
    method: 'POST',
    target: '/api/data/',
    headers: ['Authorization: Token KEY', JSON_TYPE],
    body: '{"network":1,"amount":100,"Ported_number":true,"mobile_number":"08031234567"}',
  });
});

test.each<[string, Partial<ReturnType<typeof read>>]>([
  ["['a' => 1, 'b' => [1, 2], 'c' => ['x' => null]]", { body: '{"a":1,"b":[1,2],"c":{"x":null}}', headers: [JSON_TYPE] }],
  ["$payload = ['a' => 'it\\'s', 'b' => \"\\u{20A6}\\n\"];", { body: '{"a":"it\'s","b":"₦\\n"}' }],
  [
    "curl_setopt($c, CURLOPT_POSTFIELDS, http_build_query(['a' => 'x y', 'b' => ['c' => true], 'd' => null]));",
    { body: 'a=x+y&b%5Bc%5D=1', headers: [FORM_TYPE] },
  ],
  ["curl_setopt($c, CURLOPT_POSTFIELDS, 'a=1&b=2');", { method: 'POST', body: 'a=1&b=2', headers: [FORM_TYPE] }],
  ["$d['a'] = 1; $d['b']['c'] = 'x'; $d[] = 2;", { body: '{"0":2,"a":1,"b":{"c":"x"}}' }],
  ["$u = 'http://h/api/'; $u .= 'user/'; curl_setopt($c, CURLOPT_URL, $u);", { method: 'GET', target: '/api/user/' }],
  [
    "curl_setopt($c, CURLOPT_USERPWD, 'k:1234'); curl_setopt($c, CURLOPT_URL, 'http://h/api/user');",
    { headers: ['Authorization: Basic azoxMjM0'] },
  ],
  ['$d = <<<JSON\n{"a": 1}\nJSON;\ncurl_setopt($c, CURLOPT_POSTFIELDS, $d);', { body: '{"a": 1}' }],
  ["['a' => $x ?? 'y', 'b' => -5, 'c' => 1.50]", { body: '{"a":"y","b":-5,"c":1.5}' }],
])('the PHP %s is read', (script, expected) => {
  expect(read(script)).toMatchObject(expected);
});

test('an array given to CURLOPT_POSTFIELDS becomes a multipart body', () => {
  const { headers, body } = read("curl_setopt($c, CURLOPT_POSTFIELDS, ['network' => 1, 'phone' => '@home']);");
  expect(headers[0]).toMatch(/^Content-Type: multipart\/form-data; boundary=/);
  expect(body).toMatch(/name="network"\r\n\r\n1\r\n[\s\S]*name="phone"\r\n\r\n@home\r\n/);
});

test('calls of time(), uniqid() and rand() get new values', () => {
  const { body } = read("['a' => time(), 'b' => uniqid('x'), 'c' => rand(10, 12)]");
  const { a, b, c } = JSON.parse(body) as Record<string, unknown>;
  expect([typeof a, b]).toEqual(['number', expect.stringMatching(/^x[0-9a-f]+$/)]);
  expect([10, 11, 12]).toContain(c);
});

test.each([
  ["['phone' => $_POST['phone']]", 'Line 1: $_POST[…] has no value here'],
  ['[\'phone\' => "0$phone"]', 'Line 1: $phone has no value here'],
  ["\n['phone' => $this->phone]", 'Line 2: $this->phone has no value here'],
  ["['a' => 1 + 2]", 'with `+` in it has no value here'],
  ["['a' => strrev('x')]", 'strrev() has no value here'],
  ["if ($a) { $b = ['a' => 1]; }", 'Line 1: `if` cannot be read'],
  ["['a' => 'b]", 'a quote may be missing'],
  ["['a' => 1", '`]` is expected'],
  ['echo 1;', 'no array and no curl_setopt'],
  ['curl_setopt($c, CURLOPT_INFILE, $file);', 'is not in the paste'],
  ["curl_setopt($c, CURLOPT_POSTFIELDS, ['a' => ['b' => 1]]);", 'http_build_query or json_encode'],
  ["curl_setopt($c, CURLOPT_URL, $base . '/x');", '$base has no value here'],
  ['constructor(1)', 'no array'],
])('the PHP %s is refused with the message %j', (script, words) => {
  expect(() => read(script)).toThrow(words);
});

test('a refusal contains no value of the pasted script', () => {
  const script = "$key = 'SECRET-KEY'; curl_setopt($c, CURLOPT_POSTFIELDS, ['a' => [$key]]);";
  expect(() => read(script)).toThrow(/^(?!.*SECRET)/s);
});
