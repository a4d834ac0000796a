import { checkWith } from '../mapping-set';

test('a kind behind one that has some of its headers, and takes any User-Agent, is never reached', () => {
  const { problems } = checkWith(`callers:
  kinds:
    tagged: { headers: [X-Tag], patience: 18s }
    node: { user_agents: [undici, 'node*'], headers: [x-tag], patience: 20s }
    traced: { headers: [X-Tag, X-Trace], patience: 18s }
    dart: { user_agents: ['Dart/*'], headers: [X-Trace], patience: 20s }
    other: { patience: 20s }
`);
  expect(problems.map(({ code, line, message }) => [code, line, message])).toEqual([
    ['kind-unreachable', 4, '`undici` is already a caller of kind `tagged`'],
    ['kind-unreachable', 4, '`node*` is already a caller of kind `tagged`'],
    ['kind-unreachable', 5, '`*` is already a caller of kind `tagged`'],
  ]);
});

test('a patience of zero is an error wherever it stands, and so is a replay of zero: the repeat of a sale would be refused a second later', () => {
  const { problems } = checkWith(`callers:
  kinds: { other: { patience: 0s } }
  keys:
    0123456789abcdef0123456789abcdef: { patience: 0s, replay: 0s }
    fedcba9876543210fedcba9876543210: { patience: { default: 20s, buy: 0s }, replay: always }
operations:
  buy: { patience: { other: 0s } }
families:
  shops: { title: Shops, scripts: Shops., extends: x, patience: 0s }
`);
  expect(problems.flatMap(({ code, line, message }) => (code === 'duration-zero' ? [[line, message]] : []))).toEqual([
    [2, '`patience` is zero'],
    [4, '`patience` is zero'],
    [4, '`replay` is zero'],
    [5, '`patience` is zero'],
    [7, '`patience` is zero'],
    [9, '`patience` is zero'],
  ]);
});
