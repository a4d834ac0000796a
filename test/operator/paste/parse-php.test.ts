import { parsePhp } from '../../../src/operator/paste/parse-php';

test.each<[string, unknown]>([
  ["['a' => 1, 'b' => [1, 2], 'c' => ['x' => null]]", { a: 1, b: [1, 2], c: { x: null } }],
  ["<?php // the sale\n$payload = array('a' => 'it\\'s', \"b\" => \"\\u{20A6}\\n\",);", { a: "it's", b: '₦\n' }],
  ["return ['a' => -5, 'b' => 1.50, 'c' => TRUE, 'd' => '$5', 'e' => \"\\$5\"];", { a: -5, b: 1.5, c: true, d: '$5', e: '$5' }],
  ["['x', 5 => 'y', 'z']", { 0: 'x', 5: 'y', 6: 'z' }],
])('the PHP array %s is read', (text, expected) => {
  expect(parsePhp(text)).toEqual(expected);
});

test.each([
  ["['phone' => $_POST['phone']]", 'Line 1: a value here is none'],
  ['\n[\'phone\' => "0$phone"]', 'Line 2: a value here is none'],
  ["['a' => 1 + 2]", 'Line 1: a value here is none'],
  ["['a' => time()]", 'Line 1: a value here is none'],
  ["['a' => 'b]", 'Line 1: a value here is none'],
  ["['a' => 1", 'Line 1: a value here is none'],
  ["['a' => 1]; echo 'SECRET';", 'paste it alone'],
  ["curl_setopt($c, CURLOPT_POSTFIELDS, ['a' => 'SECRET']);", 'paste it alone'],
])('the PHP %s is refused with the message %j, which repeats nothing of it', (text, words) => {
  expect(() => parsePhp(text)).toThrow(words);
  expect(() => parsePhp(text)).toThrow(/^(?!.*SECRET)/s);
});
