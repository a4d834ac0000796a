import { groupChanges, partWords, shownPair, type NoticedChange } from '../../../src/operator/replay/group-changes';

test.each([
  ['fate', [], [], ''],
  ['format', [], [], 'format'],
  ['call', ['network'], [], 'v1 call, network'],
  ['call', ['endpoint'], [], 'v1 call'],
  ['reply', ['network', 'network_name'], ['success', 'pending'], 'reply to success, pending, network, network_name'],
  ['reply', [''], ['success'], 'reply to success, the list'],
] as const)('a change of %s in the fields %p for the outcomes %p is described as %p', (part, fields, outcomes, words) => {
  expect(partWords({ part, fields, outcomes })).toBe(words);
});

test('two long texts are shown from shortly before their first difference', () => {
  const list = (network: number) => `[${'{"id":1,"network":1},'.repeat(9)}{"id":9,"network":${network}}]`;
  const [before, after] = shownPair(list(2), list(3));
  expect([before.slice(-4), after.slice(-4), before === after, before.startsWith('…')]).toEqual([':2}]', ':3}]', false, true]);
  expect(shownPair('', 'GLO')).toEqual(["''", 'GLO']);
});

test('a field of which only some values tell how an order ended counts as money, whichever value came first', () => {
  const change = { operation: 'buy_airtime', part: 'reply', field: 'state', outcome: 'success' } as const;
  const found = [
    { ...change, before: 'a', after: 'b', money: undefined },
    { ...change, before: 'success', after: 'b', money: 'it tells how an order ended' },
  ].map((one: NoticedChange) => ({ change: one, seen: [], request: 'POST /api/topup/' }));
  expect(groupChanges(found)).toMatchObject([{ examples: [{ before: 'a' }, { before: 'success' }], money: expect.any(String) }]);
});
