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
