import { splitWords } from '../../src/cli/split-words';

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
])('%s', (_what, line, words) => {
  expect(splitWords(line)).toEqual(words);
});
