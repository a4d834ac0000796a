import { changedSince, makePlan, planIdOf } from '../../../src/operator/plan/make-plan';
import { loadSource } from '../../../src/mapping/load';
import { MAPPINGS, shippedMapping } from '../../mapping/mapping-set';
import { seen } from '../drift/traffic-with';

const shipped = { source: loadSource(MAPPINGS).source!, mapping: shippedMapping() };

test('a plan id has 16 hex digits and depends on both sets and on which of them is running', () => {
  const ids = [planIdOf('a', 'b'), planIdOf('b', 'a'), planIdOf('a', 'c'), planIdOf('c', 'b')];
  expect(ids.every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(4);
});

test('a plan id shows whether the running or the candidate set has changed since the plan was made', () => {
  const id = planIdOf('running', 'candidate');
  expect(changedSince(id, { running: 'running', candidate: 'candidate' })).toBeUndefined();
  expect(changedSince(id, { running: 'running', candidate: 'edited' })).toBe('candidate');
  expect(changedSince(id, { running: 'another', candidate: 'candidate' })).toBe('running');
});

test('planning the running set against itself gives an empty plan, and replays nothing', () => {
  const { hash } = shipped.mapping;
  expect(makePlan(shipped, shipped)).toEqual({
    id: planIdOf(hash, hash),
    running: hash,
    candidate: hash,
    differences: [],
    movesMoney: false,
  });
  expect(makePlan(shipped, shipped, [seen({ amount: 'digits', phone: 'phone' })]).replay).toBeUndefined();
});
