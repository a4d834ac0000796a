import { changedSince, makePlan, planIdOf } from '../../../src/operator/plan/make-plan';
import { loadSource } from '../../../src/mapping/load';
import { MAPPINGS, shippedMapping } from '../../mapping/mapping-set';

const shipped = { source: loadSource(MAPPINGS).source!, mapping: shippedMapping() };

test('an id is 16 hex digits, of both sets and of which is which', () => {
  const ids = [planIdOf('a', 'b'), planIdOf('b', 'a'), planIdOf('a', 'c'), planIdOf('c', 'b')];
  expect(ids.every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(4);
});

test('an id tells which of the two sets has changed', () => {
  const id = planIdOf('running', 'candidate');
  expect(changedSince(id, { running: 'running', candidate: 'candidate' })).toBeUndefined();
  expect(changedSince(id, { running: 'running', candidate: 'edited' })).toBe('candidate');
  expect(changedSince(id, { running: 'another', candidate: 'candidate' })).toBe('running');
});

test('a set against itself is an empty plan; without shapes nothing is replayed', () => {
  const { hash } = shipped.mapping;
  expect(makePlan(shipped, shipped)).toEqual({
    id: planIdOf(hash, hash),
    running: hash,
    candidate: hash,
    differences: [],
    movesMoney: false,
  });
  expect(makePlan(shipped, shipped, []).replay).toEqual({ shapes: 0, requests: 0, played: 0, changes: [] });
});
