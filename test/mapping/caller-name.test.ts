import { callerName, callerTitle, findCaller, sandboxScopeOf } from '../../src/mapping/caller-name';
import { plainCallerKey } from '../../src/mapping/compile-callers';
import type { Mapping } from '../../src/mapping/mapping';
import { checkWith } from './mapping-set';

const ADA = '0123456789abcdef0123456789abcdef';
const BOLA = '0123456789bbbbbbbbbbbbbbbbbbbbbb';
const STRANGER = 'feedfeed'.repeat(4);

function named(): Pick<Mapping, 'callerKeys'> {
  const { mapping, problems } = checkWith(
    `callers: { kinds: { other: { patience: 4s } }, keys: { ${ADA}: { title: Ada }, ${BOLA}: { title: Bola's shop } } }`,
  );
  expect(problems).toEqual([]);
  return mapping!;
}

test('a caller is shown by its title, and a key without one by the beginning of its fingerprint', () => {
  expect(callerName(named(), ADA)).toBe('Ada');
  expect(callerName(named(), STRANGER)).toBe('feedfeed');
  expect(callerTitle(named(), STRANGER)).toBeUndefined();
  expect(callerName({ callerKeys: new Map([[ADA, plainCallerKey(ADA)]]) }, ADA)).toBe('01234567');
});

test('a key has a name and a fingerprint of its own in the sandbox, also when the key is not sandboxed', () => {
  const scope = sandboxScopeOf(ADA);
  expect(scope).toMatch(/^[0-9a-f]{32}$/);
  expect(scope).not.toBe(ADA);
  expect(sandboxScopeOf(scope)).not.toBe(ADA);
  expect(callerName(named(), scope)).toBe('Ada (sandbox)');
  expect(findCaller('ada (sandbox)', named())).toBe(scope);
});

test('a caller is found by its title in any case, by its fingerprint and by the beginning of one', () => {
  expect(findCaller(' ADA', named())).toBe(ADA);
  expect(findCaller("bola's shop", named())).toBe(BOLA);
  expect(findCaller(STRANGER, named())).toBe(STRANGER);
  expect(findCaller('feedfeed', named(), [STRANGER])).toBe(STRANGER);
  expect(findCaller('0123456789b', named())).toBe(BOLA);
});

test('a name of no caller, or of more than one, is refused with the most similar name', () => {
  expect(() => findCaller('Adda', named())).toThrow('No caller is called "Adda". Did you mean Ada?');
  expect(() => findCaller('nobody at all', named())).toThrow('Give a title of callers.yaml, or a fingerprint.');
  expect(() => findCaller('feedfeed', named())).toThrow('No caller is called "feedfeed"');
  expect(() => findCaller('0123456789', named())).toThrow('More than one key begins with 0123456789');
});
