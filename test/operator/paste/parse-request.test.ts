import { parseRequestFile, parseRequestText, splitWords } from '../../../src/operator/paste/parse-request';

function read(text: string) {
  const { body, ...request } = parseRequestText(text);
  return { ...request, body: body.toString() };
}

const HEAD = ['POST /api/topup/ HTTP/1.1', 'Host: x', 'Authorization: Token K'];
const POSTED = { method: 'POST', target: '/api/topup/', headers: ['Host: x', 'Authorization: Token K'] };

test.each(['\n', '\r\n'])('a raw request with line ends %j is read', (end) => {
  expect(read([...HEAD, '', '{"a":1,', '"b":2}'].join(end))).toEqual({ ...POSTED, body: `{"a":1,${end}"b":2}` });
});

test('a raw request may lack a body and an HTTP version, and may have a whole URL', () => {
  expect(read('GET /api/user/')).toEqual({ method: 'GET', target: '/api/user/', headers: [], body: '' });
  expect(read('\n\nGET https://x.example/api/user/?a=1 HTTP/1.1\nA: b\n')).toEqual({
    method: 'GET',
    target: '/api/user/?a=1',
    headers: ['A: b'],
    body: '',
  });
});

test.each(['utf8', 'latin1'] as const)('the body of a saved request in %s keeps its bytes', (encoding) => {
  const body = Buffer.from('{"a":"é"}', encoding);
  const head = Buffer.from([...HEAD, '', ''].join('\r\n'));
  expect(parseRequestFile(Buffer.concat([head, body]))).toEqual({ ...POSTED, body });
  expect(parseRequestFile(Buffer.from(`curl http://x -d '{"a":"é"}'`, encoding)).body).toEqual(body);
});

test.each([
  ['chunks', '5\r\n{"a":\r\n3;x=y\r\n 1}\r\n0\r\n\r\n', '{"a": 1}'],
  ['chunks without the last', '5\r\n{"a":\r\n2\r\n1}', '{"a":1}'],
  ['a body that is not in chunks any more', '{"a":1}', '{"a":1}'],
  ['a chunk that is shorter than it says', 'ff\r\nabc', 'ff\r\nabc'],
])('the body is read from %s', (_what, body, expected) => {
  expect(read(['POST / HTTP/1.1', 'Transfer-Encoding: chunked', '', body].join('\r\n')).body).toBe(expected);
});

test('the output of curl -v is read with all its other lines', () => {
  const transcript = [
    '* Connected to x (127.0.0.1) port 80 (#0)',
    '> POST /api/topup/ HTTP/1.1',
    '> Host: x',
    '> Authorization: Token K',
    '>',
    '> {"a":1}',
    '* upload completely sent off: 7 bytes',
    '< HTTP/1.1 200 OK',
    '< Content-Type: application/json',
    '<',
    '{"status":"success"}',
  ];
  for (const end of ['\n', '\r\n']) expect(read(transcript.join(end))).toEqual({ ...POSTED, body: '{"a":1}' });
});

test.each([
  ['curl http://x/api/user/', '/api/user/'],
  ['$ curl http://x/api/user/', '/api/user/'],
  ['D:\\shop> curl.exe http://x/api/user/', '/api/user/'],
  ['PS C:\\> curl.exe http://x/api/user/', '/api/user/'],
  ['/usr/bin/curl -s \\\n http://x/api/user/', '/api/user/'],
  ['\uFEFF  curl "http://x/api/user/"\n', '/api/user/'],
])('%j is read as a curl command line', (text, target) => {
  expect(read(text)).toMatchObject({ method: 'GET', target });
});

test.each(['', 'hello', '{"a":1}', '<?php curl_init();', 'curly http://x', 'HTTP/1.1 200 OK'])(
  '%j is refused, because it is no request',
  (text) => {
    expect(() => read(text)).toThrow(/^Expected a curl command line, or a raw HTTP request/);
  },
);

test.each<[string, string, readonly string[]]>([
  ['single quotes', `curl 'http://x/a b' -d '{"a":"it'"'"'s"}'`, ['curl', 'http://x/a b', '-d', `{"a":"it's"}`]],
  ['double quotes', `curl "http://x" -d "{\\"a\\":1}"`, ['curl', 'http://x', '-d', '{"a":1}']],
  ['backslashes at line ends', 'curl http://x \\\n  -H "A: b" \\\r\n  -d c', ['curl', 'http://x', '-H', 'A: b', '-d', 'c']],
  ['a variable', 'curl http://x -H "Authorization: Token $KEY"', ['curl', 'http://x', '-H', 'Authorization: Token $KEY']],
  ['stars and question marks', 'curl http://x/?a=* -d a=?', ['curl', 'http://x/?a=*', '-d', 'a=?']],
  [
    'the $-quotes of browsers',
    String.raw`curl $'http://x/\u0021' --data-raw $'it\'s\na\x41'`,
    ['curl', 'http://x/!', '--data-raw', "it's\naA"],
  ],
  [
    'the carets of the Windows prompt',
    'curl ^"http://x/?a=1^&b=2^" ^\r\n  -H ^"Authorization: Token K^" ^\n --data-raw ^"{^\\^"a^\\^":^\\^"b c^\\^"}^"',
    ['curl', 'http://x/?a=1&b=2', '-H', 'Authorization: Token K', '--data-raw', '{"a":"b c"}'],
  ],
  ['doubled quotes on Windows', 'curl http://x ^\n -d "{""a"":""b""}"', ['curl', 'http://x', '-d', '{"a":"b"}']],
])('a curl command line with %s is split as its shell splits it', (_what, line, words) => {
  expect(splitWords(line)).toEqual(words);
});
