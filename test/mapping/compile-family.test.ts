import fc from 'fast-check';
import { type Known, walkIn } from '../../src/gateway/read/walk-in';
import { Secret } from '../../src/domain/credentials';
import type { LegacyRequest } from '../../src/domain/legacy';
import type { Mapping } from '../../src/mapping/mapping';
import { explainReplies } from '../../src/operator/explain/explain';
import { patienceFor } from '../../src/gateway/order/learnt-patience';
import { afterPendingOf } from '../../src/mapping/compile-callers';
import { checkWith, mappingWith, shippedMapping } from './mapping-set';

const mapping = shippedMapping();
const withoutFamilies: Mapping = { ...mapping, families: new Map() };

test('a family shares everything with the mapping except replies, patience, replay time and what follows pending', () => {
  expect(mapping.families.size).toBeGreaterThan(0);
  const told = ['words', 'operations', 'replayMs'];
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

test('numbers of a family that no table has are reported', () => {
  const { problems } = checkWith(`
families:
  own:
    title: Own numbers
    scripts: Scripts with numbers of their own.
    extends: x
    numbers: { network: { 1: MTN, 9: NOBODY }, netwrk: { 1: MTN } }
`);
  const codes = problems.map(({ code }) => code).filter((code) => code === 'unknown-value' || code === 'unknown-table');
  expect(codes).toEqual(['unknown-value', 'unknown-table']);
});

test('the meaning of pending in a family decides whether an order is still bought, and the patience of a family holds for every kind of caller', () => {
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
/** Requests with signals of families and formats in random mixtures. */
const requests = fc
  .record({
    path: pick(
      '/api/topup/',
      '/api/topup',
      '/api/airtime',
      '/api/airtime/',
      '/api/data/',
      '/api/cablesub',
      '/api/cabletv/',
      '/api/billpayment/',
      '/a/api/topup',
      '/b/api/data',
    ),
    agent: pick(undefined, 'GuzzleHttp/7', 'axios/1.7', 'python-requests/2', 'PHP/8', 'Dart/3'),
    accept: pick(undefined, '*/*', 'application/json', 'text/html'),
    encoding: pick(undefined, 'gzip'),
    layout: pick<string | number | undefined>(undefined, ' ', 2),
    order: fc.integer({ min: 0, max: 1 }),
    auth: pick('Token key:1234', 'Token  key:1234', 'Bearer key:1234', 'Basic a2V5OjEyMzQ='),
    fields: fc.record({
      network: field<string | number>(1, '2', 3, '4', 'MTN', 'glo'),
      amount: field<string | number>(100, '100', 200.5),
      mobile_number: field('08031234567', '08051234567'),
      phone: field('08031234567', '08021234567'),
      Ported_number: field<boolean | string>(true, false, 'true'),
      ported_number: field(true),
      bypass: field<boolean | string>(true, ''),
      'request-id': field('r-2'),
      request_id: field('r-3'),
      airtime_type: field('VTU'),
      plan_type: field('VTU'),
      plan: field<string | number>(102, '301'),
      data_plan: field<string | number>(102, '301'),
      ref: field('r-1'),
      ...{
        cablename: field<string | number>(1, '2'),
        smart_card_number: field('0012345678'),
        cableplan: field<string | number>(501),
      },
      ...{ disco_name: field<string | number>(3), meter_number: field('0451'), MeterType: field('Prepaid', '1') },
      ...{ provider: field<string | number>(1, '3'), iucnumber: field('0012345678') },
    }),
  })
  .map(({ path, agent, accept, encoding, layout, order, auth, fields }): LegacyRequest => {
    const sent = Object.entries({ 'user-agent': agent, accept, 'accept-encoding': encoding, authorization: auth });
    const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
    const body = new Map((order === 0 ? entries : entries.toReversed()) as [string, string][]);
    const text = JSON.stringify(Object.fromEntries(body), undefined, layout === ' ' ? undefined : layout);
    return {
      method: 'POST',
      path,
      query: new Map(),
      body,
      bytes: Buffer.from(layout === ' ' ? text.replaceAll(/(?<=[:,])/g, ' ') : text),
      headers: {
        authorization: auth,
        userAgent: agent,
        sent: Object.fromEntries(sent.filter(([, value]) => value !== undefined)),
      },
      clientAddress: '192.0.2.7',
    };
  });

/** The call that would be sent, or the reason for a refusal. */
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

/** Format C has another word for pending, and a Topupmate site's cable order another word for a failure. */
const OWN_WORDS: Readonly<Record<string, readonly string[]>> = { pending: ['processing'], failure: ['error'] };

test('ten thousand requests with mixed signals of families and formats make the same call with and without families', () => {
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
          if (words.has(key))
            expect([known.mapping!.words[outcome][key], ...(OWN_WORDS[outcome] ?? [])]).toContain(words.get(key));
        expect(words.get('success')).toBe(outcome === 'pending' ? undefined : outcome === 'success');
      }
    }),
    { numRuns: 10_000 },
  );
  expect([...recognised].sort()).toEqual(
    expect.arrayContaining([
      'axios-a',
      'axios-b',
      'guzzle-a',
      'guzzle-b',
      'laravel-husmodata',
      'topupmate-a',
      'topupmate-api',
      'topupmate-b',
    ]),
  );
});

test('only the family with fixed request ids has no replay of old sales', () => {
  const replayed = [...mapping.families.values()].filter((family) => family.mapping().replayMs !== mapping.replayMs);
  expect(replayed.map(({ id }) => [id, mapping.families.get(id)!.mapping().replayMs])).toEqual([['forbill-ai', 0]]);
});
