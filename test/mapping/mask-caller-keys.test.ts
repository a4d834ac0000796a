import { formatSarif } from '../../src/mapping/format-sarif';
import { maskCallerKeys, maskPath } from '../../src/mapping/mask-caller-keys';
import { formatProblem, type Problem } from '../../src/mapping/problem';
import { checkWith } from './mapping-set';

const FINGERPRINT = '0123456789abcdef0123456789abcdef';
const KEY = 'sandbox_demo';
const PIN = '9173';

function expectMasked(problems: readonly Problem[]): void {
  const printed = [JSON.stringify(problems), formatSarif(problems), ...problems.map(formatProblem)].join('\n');
  expect(printed).not.toContain(KEY);
  expect(printed).not.toContain(PIN);
}

test.each([
  `callers: { keys: { ${KEY}:${PIN}: { format: b } } }`,
  `callers:\n  keys:\n    ${KEY}: { format: b }`,
  `callers:\n  keys:\n    '${KEY}': { patince: 4s, format: B! }`,
  `callers:\n  keys:\n    ${KEY}: ${PIN}`,
  `callers:\n  keys:\n    ${KEY}:\n      ${PIN}: { format: b }`,
  `callers:\n  keys: [${KEY}:${PIN}, ${KEY}]`,
  `callers:\n  keys: ${KEY}`,
  `callers:\n  kyes: { ${KEY}: { format: b } }`,
  `callers: { ${KEY}: { format: b }, kinds: { other: { patience: 4s } } }`,
  `caller: { keys: { ${KEY}: { format: b } } }`,
  `keys: { ${KEY}: { format: b } }`,
  `format: x\ntitle: X\ncallers: { keys: { ${KEY}: { format: b } } }`,
  `callers:\n  keys:\n    ${KEY}: { format: b }\n    ${KEY}: { format: b }`,
  `callers:\n  keys:\n    ${KEY}: { format: b\n  kinds: {}`,
  `callers:\n  keys:\n\t${KEY}: { format: b }`,
  `callers:\n  keys:\n    ? { ${KEY}: 1 }\n    : { format: b }`,
  `callers:\n  keys: { ${KEY}: { numbers: { network: { '1': NONE } } } }`,
  `callers: { keys: { ${KEY}: @b } }`,
])('the problems of %j are printed without the key of the script', (text) => {
  const { problems } = checkWith(text);
  expect(problems.length).toBeGreaterThan(0);
  expectMasked(problems);
});

test('the problem of a key that is no fingerprint has its place and says that a fingerprint was expected', () => {
  const [problem] = checkWith(`callers:\n  keys:\n    ${KEY}: { format: b }`).problems;
  expect(problem).toMatchObject({
    line: 3,
    column: 5,
    code: 'bad-fingerprint',
    message: 'unusable key: expected a fingerprint of 32 hex digits (at callers.keys.*****)',
  });
  expect(problem!.frame).toContain('3 |     ************: { format: b }');
});

test('below the keys of callers a path shows only fingerprints and keys of the mapping language', () => {
  const shown = (...path: string[]): string => maskPath(['callers', 'keys', ...path]).join('.');
  expect(shown(FINGERPRINT, 'numbers', 'network')).toBe(`callers.keys.${FINGERPRINT}.numbers.network`);
  expect(shown(`${KEY}:${PIN}`, 'patience', 'default')).toBe('callers.keys.*****.patience.default');
  expect(shown(KEY, PIN, 'format')).toBe('callers.keys.*****.*****');
  expect(maskPath(['operations', KEY])).toEqual(['operations', KEY]);
});

test('masked text has the same lines and columns, and only keys are masked', () => {
  const text = `timing: { read: 4s }\ncallers:\n  keys:\n    ${FINGERPRINT}: { format: b }\n    "${KEY}":\n      format: b\n`;
  expect(maskCallerKeys(text)).toBe(text.replace(`"${KEY}"`, '*'.repeat(KEY.length + 2)));
});

test.each([
  `callers:\n  keys:\n    ${FINGERPRINT}: { title: ${KEY} }`,
  `callers:\n  keys:\n    ${FINGERPRINT}:\n      note: the key is ${KEY}:${PIN}`,
  `callers:\n  keys:\n    ${FINGERPRINT}:\n      contact: "${KEY}"`,
  `callers:\n  keys:\n    ${FINGERPRINT}:\n      paused: ask for ${KEY}`,
  `callers:\n  keys:\n    ${FINGERPRINT}: { title: Ada, note: ${KEY}, patince: 4s }`,
])('a key in a title or note is reported and not printed: %j', (text) => {
  const { problems, mapping } = checkWith(text);
  expect(mapping).toBeUndefined();
  expect(problems.some(({ message }) => message.includes('looks like an API key'))).toBe(true);
  expectMasked(problems);
});

test.each([
  `${KEY}:${PIN}`,
  `[${KEY}, 'acme_live_${PIN}5678:${PIN}']`,
  `{ title: Ada, ${KEY}: ${KEY}:${PIN} }`,
  `{ title: Ada, acme_live_${PIN}5678:${PIN} }`,
  `{ title: Ada, key: [${KEY}] }`,
  `{ title: Ada, patience: { ${KEY}: ${KEY} } }`,
  `{ title: Ada, patience: ${KEY} }`,
  `{ titel: Ada, note: 'key=(${KEY})' }`,
  `{ title: Ada, format: acme_live_${PIN}5678, family: ${KEY} }`,
  `{ title: Ada, numbers: { network: { ${KEY}: ${KEY} } } }`,
  `{ titel: Ada } # acme_live_${PIN}5678:${PIN}`,
])('a key in the entry of a fingerprint, in place of something else, is not printed: %j', (entry) => {
  const text = `callers:\n  keys:\n    ${FINGERPRINT}: ${entry}`;
  const { problems } = checkWith(text);
  expect(problems.length).toBeGreaterThan(0);
  expectMasked(problems);
});
