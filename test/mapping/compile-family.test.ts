import fc from 'fast-check';
import { walkIn, type Known } from '../../src/gateway/read/walk-in';
import { Secret } from '../../src/domain/credentials';
import type { LegacyRequest } from '../../src/domain/legacy';
import type { Mapping } from '../../src/mapping/mapping';
import { explainReplies } from '../../src/operator/explain/explain';
import { patienceFor } from '../../src/gateway/order/learnt-patience';
import { afterPendingOf } from '../../src/mapping/after-pending';
import { mappingWith, shippedMapping } from './mapping-set';

const mapping = shippedMapping();
const withoutFamilies: Mapping = { ...mapping, families: new Map() };

test('a family shares everything with the mapping but what is told, how long it waits and what follows pending', () => {
  expect(mapping.families.size).toBeGreaterThan(0);
  const told = ['words', 'operations'];
  for (const family of mapping.families.values()) {
    const own = family.mapping();
    for (const [part, value] of Object.entries(mapping))
      if (!told.includes(part))
        expect({ part, isShared: Object.is(Reflect.get(own, part), value) }).toEqual({ part, isShared: true });
    for (const [name, operation] of mapping.operations)
      for (const [part, value] of Object.entries(operation)) {
        if (['replies', 'patienceMs', 'afterPending', 'afterPendingByFormat'].includes(part)) continue;
        const isShared = Object.is(Reflect.get(own.operations.get(name)!, part), value);
        expect({ name, part, isShared }).toEqual({ name, part, isShared: true });
      }
  }
});

test('a family is compiled once', () => {
  const family = mapping.families.get('laravel-husmodata')!;
  expect(family.mapping()).toBe(family.mapping());
});

test('what pending means to a family decides what follows it, and its patience holds for every kind of caller', () => {
  const own = mappingWith(`
families:
  waiting:
    title: Waiting
    scripts: Scripts that wait.
    extends: x
    patience: 90s
    pending: sells
    operations:
      buy: { patience: 70s, pending: refunds }
`)
    .families.get('waiting')!
    .mapping();
  const buy = own.operations.get('buy')!;
  const kinds = [own.callerKindOf({}), own.callerKindOf({ userAgent: 'other/1' })];
  expect(kinds.map((kind) => patienceFor(buy, kind, undefined, undefined))).toEqual([{ ms: 70_000 }, { ms: 70_000 }]);
  const [kind] = kinds;
  expect(afterPendingOf(buy, 'x', kind!, undefined)).toBe('look');
  const followed = (id: string): string =>
    afterPendingOf(mapping.families.get(id)!.mapping().operations.get('buy_airtime')!, 'b', mapping.callerKindOf({}), undefined);
  expect(['laravel-husmodata', 'msorg-as-client'].map(followed)).toEqual(['look', 'buy']);
});

const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const field = <T>(...values: readonly T[]) => fc.option(pick(...values), { nil: undefined });
/** Signals of families and formats, mixed as no script mixes them. */
const requests = fc
  .record({
    path: pick(
      '/api/topup/',
      '/api/topup',
      '/api/airtime',
      '/api/airtime/',
      '/api/data/',
      '/api/cablesub',
      '/a/api/topup',
      '/b/api/data',
    ),
    agent: pick(undefined, 'GuzzleHttp/7', 'axios/1.7', 'python-requests/2', 'PHP/8', 'Dart/3'),
    accept: pick(undefined, '*/*', 'application/json', 'text/html'),
    auth: pick('Token key:1234', 'Bearer key:1234', 'Basic a2V5OjEyMzQ='),
    fields: fc.record({
      network: field<string | number>(1, '2', 3, '4', 'MTN', 'glo'),
      mobile_number: field('08031234567', '08051234567'),
      phone: field('08031234567', '08021234567'),
      amount: field<string | number>(100, '100', 200.5),
      Ported_number: field<boolean | string>(true, false, 'true'),
      ported_number: field(true),
      bypass: field<boolean | string>(true, ''),
      airtime_type: field('VTU'),
      plan: field<string | number>(102, '301'),
      data_plan: field<string | number>(102, '301'),
      ref: field('r-1'),
    }),
  })
  .map(({ path, agent, accept, auth, fields }): LegacyRequest => {
    const sent = { ...(agent === undefined ? {} : { 'user-agent': agent }), ...(accept === undefined ? {} : { accept }) };
    return {
      method: 'POST',
      path,
      query: new Map(),
      body: new Map(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))),
      headers: { authorization: auth, userAgent: agent, sent },
      clientAddress: '192.0.2.7',
    };
  });

/** What would be bought, or why nothing would be. */
function bought(request: LegacyRequest, by: Mapping): { readonly known: Known; readonly said: unknown } {
  const routed = walkIn(request, by);
  const credentials = { apiKey: new Secret('key'), pin: new Secret('1234'), fingerprint: '0'.repeat(32) };
  const walk = routed.kind === 'needs_caller' ? routed.withCaller({ credentials, isBasic: false }) : routed;
  const { call, intent, detection }: Known = walk.known;
  const said = {
    kind: walk.kind,
    call,
    values: intent?.values,
    format: detection?.format,
    error: walk.kind === 'stopped' ? String(walk.error) : undefined,
  };
  return { known: walk.known, said };
}

test('ten thousand requests that mix the signs of families and formats buy what they buy without families', () => {
  const recognised = new Set<string>();
  fc.assert(
    fc.property(requests, (request) => {
      const { known, said } = bought(request, mapping);
      expect(said).toEqual(bought(request, withoutFamilies).said);
      if (known.family === undefined) return;
      recognised.add(known.family.id);
      for (const { outcome, http, fields } of explainReplies(known, mapping)) {
        expect(outcome === 'failure' ? http >= 400 : http < 300).toBe(true);
        const words = new Map(fields.map(({ field: name, value }) => [name, value]));
        for (const key of ['status', 'Status'] as const)
          if (words.has(key)) expect(words.get(key)).toBe(known.mapping!.words[outcome][key]);
        expect(words.get('success')).toBe(outcome === 'pending' ? undefined : outcome === 'success');
      }
    }),
    { numRuns: 10_000 },
  );
  expect([...recognised]).toContain('laravel-husmodata');
});
