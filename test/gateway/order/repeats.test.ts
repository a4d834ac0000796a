/** Repeats of a sale, with or without its id: which order they belong to, and what they are told. On a clock that stands still. */
import { openLine } from '../open-line';
import { Secret } from '../../../src/domain/credentials';
import { GatewayError } from '../../../src/domain/errors';
import type { Outcome } from '../../../src/domain/outcome';
import { createKeyring } from '../../../src/gateway/read/keyring';
import type { Served } from '../../../src/gateway/gateway';
import type { GatewayParts } from '../../../src/gateway/walk-parts';
import { legacyRequest } from '../legacy-request';
import { createVirtualClock, settlePromises, type VirtualClock } from '../../domain/virtual-clock';
import type { Finding, V1Call } from '../../../src/upstream/upstream';
import {
  AIRTIME,
  AXIOS,
  JOURNAL_AWAY,
  openWalkHouse,
  selling,
  WALK_KEY,
  type WalkHouse,
  type WalkHouseOptions,
} from '../walk-house';
import { createSteadiness, pause } from '../../../src/domain/clock';
import { keepAnswers, type KeepingJournal } from '../../../src/journal/kept-answers';
import { type ListOptions, readOrReport, WriteFailure, type Journal } from '../../../src/journal/journal';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import { createPursuits } from '../../../src/gateway/order/pursuits';
import { createRepeats } from '../../../src/gateway/order/repeats';
import { createKnownOrders, keyOf, type Contents } from '../../../src/gateway/order/kept-repeats';
import { createLook } from '../../../src/gateway/order/look-for-unheard';
import { plainCallerKey } from '../../../src/mapping/compile-callers';
import { compileMapping } from '../../../src/mapping/compile';
import { mergeFiles } from '../../../src/mapping/load';
import type { Mapping } from '../../../src/mapping/mapping';
import { shippedFiles, shippedMapping } from '../../mapping/mapping-set';
import { type NewOrder, NOT_TOLD, type Order, TOLD_PENDING } from '../../../src/domain/order';
import { toldLine, type Told, type ToldStore } from '../../../src/journal/told-sales';
import { newOrder } from '../../journal/new-order';
import { markUntold } from '../../../src/watch/mark-untold';

const SUCCESS: Outcome = { kind: 'succeeded', reference: 'V1' };
const AGAIN: Outcome = { kind: 'succeeded', reference: 'V2' };
const THIRD: Outcome = { kind: 'succeeded', reference: 'V3' };
const PENDING: Outcome = { kind: 'pending', reference: 'V1' };
const UNKNOWN: Outcome = { kind: 'unknown', reason: 'HTTP 500' };
const IDENTICAL: Outcome = { kind: 'rejected', httpStatus: 400, message: 'Duplicate request detected' };
const REJECTED: Outcome = { kind: 'rejected', httpStatus: 400, message: 'Insufficient balance.' };
const MINUTE = 60_000;

type Fields = Readonly<Record<string, string>>;

interface Script {
  readonly hangUp: () => void;
  readonly served: Promise<Served>;
}

/** Whether a proxy writes an X-Request-Id of its own into each request, as the ingress of Kubernetes and Envoy do. */
let isNamedByProxy = false;
let requests = 0;
const headersOfProxy = (): Fields => (isNamedByProxy ? { 'x-request-id': `proxy-${(requests += 1)}` } : {});

/** A script on a connection of its own, which it may close before the reply has left. */
function ask(house: WalkHouse, fields: Fields = {}, sent: Fields = headersOfProxy(), heldUpMs = 0): Script {
  const cameAt = house.clock.elapsed();
  const { line, end } = openLine(
    () => house.clock.elapsed() - cameAt,
    () => heldUpMs,
  );
  const served = house.gateway
    .handle(legacyRequest({ body: { ...AIRTIME, ...fields }, headers: { ...AXIOS, sent } }), line)
    .then((one) => {
      end(true);
      return one;
    });
  return {
    served,
    hangUp: () => end(false),
  };
}

function askForPins({ gateway, clock }: WalkHouse, sent: Fields = headersOfProxy()) {
  const cameAt = clock.elapsed();
  const { line, end } = openLine(() => clock.elapsed() - cameAt);
  const request = legacyRequest({
    path: '/api/epin/',
    body: { exam_name: 'WAEC', quantity: 1 },
    headers: { ...AXIOS, sent },
  });
  return { served: gateway.handle(request, line), end };
}

/** The PIN that a script is told that asks now and waits. */
async function pinToldNow(house: WalkHouse): Promise<string | undefined> {
  const script = askForPins(house);
  await house.clock.advance(10_000);
  script.end(true);
  return pinOf(script);
}

async function pinOf({ served }: ReturnType<typeof askForPins>): Promise<string | undefined> {
  return String(((await served).reply.body as { pin?: string }).pin).match(/pin of \w+/)?.[0];
}

function receiptOfPins({ query = {} }: V1Call): Finding {
  const reference = query['reference']!;
  const data = { reference, status: 'success', pins: [{ pin: `pin of ${String(reference)}`, serial: 'serial' }] };
  return { kind: 'found', body: { status: 'success', data } };
}

/** The shipped mapping after an edit that no longer sends v1 whether the number is ported, so the same request makes another call. */
const withoutPorted = (): Mapping => editedMapping(', ported: $ported } }', ' } }');

/** It reads no Idempotency-Key. */
const withoutKeyHeader = (): Mapping =>
  editedMapping('request_id_headers: [Idempotency-Key, X-Request-Id]', 'request_id_headers: [X-Request-Id]');

/** It refuses airtime of 100 naira. */
const refusing = (): Mapping => editedMapping('min: 1,', 'min: 500,');

/** It refuses a single PIN. */
const refusingPins = (): Mapping => editedMapping('as: quantity, default: 1, min: 1,', 'as: quantity, default: 1, min: 2,');

/** It sells one PIN, whatever number the script asks for. */
const ofOnePin = (): Mapping => editedMapping('exam_name: $exam, quantity: $quantity', 'exam_name: $exam, quantity: 1');

const editedMappings = new Map<string, Mapping>();

function editedMapping(from: string, to: string, ...more: readonly (readonly [from: string, to: string])[]): Mapping {
  const edited = (text: string): string => more.reduce((before, edit) => before.replace(...edit), text.replace(from, to));
  const files = shippedFiles().map((file) => ({ ...file, text: edited(file.text) }));
  const name = JSON.stringify([from, to, more]);
  const fail = (_path: unknown, _code: string, message: string): never => {
    throw new Error(message);
  };
  const mapping = editedMappings.get(name) ?? compileMapping(mergeFiles(files).source!, fail);
  editedMappings.set(name, mapping);
  return mapping;
}

async function hangUpAfter(ms: number, house: WalkHouse, ...sale: [fields?: Fields, sent?: Fields]): Promise<void> {
  const script = ask(house, ...sale);
  await house.clock.advance(ms);
  script.hangUp();
}

async function told(house: WalkHouse, { served }: Script) {
  await house.clock.advance(10_000);
  const { reply, refusal, repeat } = await served;
  const { status, reference = null } = reply.body as { status: string; reference?: string | null };
  return { http: reply.status, status, reference, code: refusal?.code, repeat };
}

const slowly = (afterMs: number, ...outcomes: readonly Outcome[]): WalkHouseOptions => ({
  answers: outcomes.map((outcome) => ({ outcome, afterMs })),
});

/** What other processes have told, as lines of a file that this process reads. */
const toldStore = (lines: readonly string[] = []): ToldStore => ({ append: async () => undefined, read: async () => lines });

/** The list of what several processes have told, with what they tell. */
function sharedList(): Pick<GatewayParts, 'toldSales' | 'onTold'> {
  const lines: string[] = [];
  const store = toldStore(lines);
  return { toldSales: () => store, onTold: (order, told) => void lines.push(toldLine(order, told)) };
}

/** A disk that takes nothing while it `isFull`, which each process notices at its first write; what is on it can be read. */
function fullDisk() {
  const disk = {
    isFull: false,
    wrapJournal: (stored: Journal): Journal => {
      let hasFailed = false;
      const orFull = async <T>(work: () => Promise<T>, error: Error): Promise<T> => {
        hasFailed = disk.isFull;
        if (hasFailed) throw error;
        return work();
      };
      return keepAnswers({
        ...stored,
        isWritable: () => !(disk.isFull && hasFailed),
        open: (order) => orFull(() => stored.open(order), new GatewayError('journal_unavailable')),
        tell: (...telling) => orFull(() => stored.tell(...telling), new WriteFailure(new Error('the disk is full'))),
      });
    },
  };
  return disk;
}

/** As a build that is older than the one which wrote the order `r-1`. */
function readByOlder(order: Order): Order {
  if (order.requestId === 'r-1') throw new Error('The journal holds a record of version 3, which this build cannot read.');
  return order;
}

/** Told where the journal cannot be read and this process knows no such order. */
const UNREAD = { http: 503, status: 'pending', code: 'journal_unavailable' };

function behindProxy(isNamed: boolean): void {
  beforeAll(() => void (isNamedByProxy = isNamed));
  afterAll(() => void (isNamedByProxy = false));
}

describe('a repeat without an id', () => {
  test('joins the order of the same content that is under way, and is told its outcome', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
    await hangUpAfter(3_000, house);
    const second = ask(house);
    expect(await told(house, second)).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('joins it also when the first had an id, and came without the header of the repeat', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
    ask(house, { 'request-id': 'r-1' }).hangUp();
    await house.clock.advance(1_000);
    expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent.map(({ requestId }) => requestId)).toEqual(['r-1']);
  });

  test('is the same sale also when the mapping has changed in between, whatever it makes of the same request', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
    // One order is under way, and one has ended without being told.
    for (const waitedMs of [1_000, 20_000]) {
      house.serve(shippedMapping());
      const { length } = house.upstream.sent;
      await hangUpAfter(500, house, { amount: String(waitedMs) });
      await house.clock.advance(waitedMs);
      house.serve(withoutPorted());
      expect(await told(house, ask(house, { amount: String(waitedMs) }))).toMatchObject({ status: 'success', repeat: 'joined' });
      expect(house.upstream.sent).toHaveLength(length + 1);
    }
  });

  test('is the same sale also when the mapping has changed and the process has restarted', async () => {
    const first = openWalkHouse(slowly(5_000, UNKNOWN));
    ask(first).hangUp();
    await first.clock.advance(1_000);
    const second = openWalkHouse({ ...slowly(0, AGAIN), beside: first, mapping: withoutPorted() });
    await told(second, ask(second));
    expect(second.upstream.sent).toEqual([]);
  });

  test('is not refused where a changed mapping refuses the request: while the order is under way, and once when it ended untold', async () => {
    const refusals = [
      [refusing, { http: 400, status: 'fail', code: 'invalid_field' }],
      [
        () => editedMapping('[POST /api/topup|airtime]', '[PUT /api/topup, POST /api/airtime]'),
        { http: 405, status: 'fail', code: 'wrong_method' },
      ],
    ] as const;
    for (const [waitedMs, heard, [changed, refused]] of [
      [1_000, { status: 'pending' }, refusals[0]],
      [20_000, { status: 'success', reference: 'V1' }, refusals[0]],
      [1_000, { status: 'pending' }, refusals[1]],
      [20_000, { status: 'success', reference: 'V1' }, refusals[1]],
    ] as const) {
      const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
      await hangUpAfter(500, house);
      await house.clock.advance(waitedMs);
      house.serve(changed());
      expect(await told(house, ask(house))).toMatchObject({ ...heard, http: 200, code: undefined });
      expect(await told(house, ask(house))).toMatchObject(refused);
      expect(await told(house, ask(house, { amount: '99' }))).toMatchObject(refused);
      house.serve(shippedMapping());
      expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V2' });
    }
  });

  test.each([
    ['refuses the request', refusing, { http: 400, code: 'invalid_field' }],
    ['takes no orders at its address', () => editedMapping('[POST /api/topup|airtime]', '[POST /api/airtime]'), { http: 404 }],
    [
      'takes no POST at its address',
      () => editedMapping('[POST /api/topup|airtime]', '[PUT /api/topup, POST /api/airtime]'),
      { http: 405 },
    ],
  ] as const)('in other words is not refused either where a changed mapping %s', async (_title, changed, refused) => {
    for (const [waitedMs, heard, isRestarted] of [
      [1_000, { status: 'pending' }, false],
      [20_000, { status: 'success', reference: 'V1' }, false],
      [20_000, { status: 'success', reference: 'V1' }, true],
    ] as const) {
      const first = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
      await hangUpAfter(500, first, { time: '09:41' });
      await first.clock.advance(waitedMs);
      const house = isRestarted ? openWalkHouse({ beside: first }) : first;
      house.serve(changed());
      expect(await told(house, ask(house, { time: '09:42' }))).toMatchObject({ ...heard, http: 200, code: undefined });
      const others: readonly Fields[] = [{}, { amount: '99' }, { ref: 'r-2' }];
      for (const fields of others) expect(await told(house, ask(house, { time: '09:43', ...fields }))).toMatchObject(refused);
      expect(first.upstream.sent).toHaveLength(1);
    }
  });

  test('in other words is told its own order, not the one that another set of mappings than that of the order finds', async () => {
    const swapped = ['2: GLO, 3: AIRTEL', '2: AIRTEL, 3: GLO'] as const;
    const [between, now] = [editedMapping(...swapped), editedMapping(...swapped, ['min: 1,', 'min: 500,'])];
    const sets = [shippedMapping(), between];
    const setOf = (hash: string): Mapping | undefined => sets.find((one) => one.hash === hash);
    const house = openWalkHouse({ ...slowly(0, SUCCESS, AGAIN, THIRD), parts: { setOf } });
    await told(house, ask(house, { mobile_number: '08030000077' }));
    house.serve(between);
    for (const network of ['3', '2']) {
      await hangUpAfter(0, house, { network, time: '09:41' });
      await house.clock.advance(20_000);
    }
    house.serve(now);
    const again = await told(house, ask(house, { network: '2', time: '09:42' }));
    expect(again).toMatchObject({ status: 'success', reference: 'V3' });
  });

  test('is pending where the mapping now refuses the request and the journal does not show the order, and refused as unread where this process knows none', async () => {
    for (const fields of [{}, { 'request-id': 'r-1' }]) {
      const doubted: string[] = [];
      const house = openWalkHouse({
        ...slowly(5_000, SUCCESS),
        wrapJournal: () => ({ doubt: ({ requestId }) => void doubted.push(requestId) }),
      });
      await hangUpAfter(500, house, fields);
      house.serve(refusing());
      // One under way, which this process has in memory, and one that has ended.
      for (const waitedMs of [1_000, 20_000]) {
        await house.clock.advance(waitedMs);
        house.setAway(JOURNAL_AWAY);
        expect(await told(house, ask(house, fields))).toMatchObject({ http: 200, status: 'pending', code: undefined });
        house.setAway([]);
      }
      house.setAway(JOURNAL_AWAY);
      expect(await told(house, ask(house, { amount: '99' }))).toMatchObject(UNREAD);
      // With an id of its own it may repeat an order that another process opened (decision 0012).
      const other = await told(house, ask(house, { amount: '99', 'request-id': 'r-2' }));
      expect(other).toMatchObject({ http: 200, status: 'pending', reference: null });
      expect(doubted).toContain('r-2');
      house.setAway([]);
      expect(await told(house, ask(house, { amount: '99', 'request-id': 'r-2' }))).toMatchObject({ http: 400, status: 'fail' });
      const named = ask(house, { ...fields, 'request-id': house.upstream.sent[0]!.requestId });
      expect(await told(house, named)).toMatchObject({ status: 'success', reference: 'V1' });
      expect(house.upstream.sent).toHaveLength(1);
    }
  });

  test('is a new sale, which is refused, where this process has told the end of the sale before and the journal cannot be read', async () => {
    const house = openWalkHouse(slowly(100, SUCCESS));
    expect(await told(house, ask(house))).toMatchObject({ status: 'success' });
    house.setAway(JOURNAL_AWAY);
    expect(await told(house, ask(house))).toMatchObject({ http: 503, code: 'journal_unavailable' });
  });

  test('is refused as unread for a script that sells what is pending, where the sale before cannot be read', async () => {
    for (const [asIs, http] of [[(one: Mapping) => one, 200] as const, [selling, 503] as const]) {
      const house = openWalkHouse({ ...slowly(100, SUCCESS), mapping: asIs(shippedMapping()) });
      await hangUpAfter(50, house, {});
      await house.clock.advance(20_000);
      house.setAway(JOURNAL_AWAY);
      expect(await told(house, ask(house))).toMatchObject({ http, status: 'pending' });
      // Also where the mapping refuses its words now, and where it comes under a header.
      house.serve(asIs(refusing()));
      for (const header of [{}, { 'x-request-id': 'trace-9' }])
        expect(await told(house, ask(house, {}, header))).toMatchObject({ http, status: 'pending' });
    }
  });

  test('is pending also where the mapping serves its address no more and the journal cannot be read', async () => {
    const nameless: Fields = {};
    for (const fields of [nameless, { 'request-id': 'r-1' }]) {
      const house = openWalkHouse(slowly(5_000, SUCCESS));
      await hangUpAfter(500, house, fields);
      await house.clock.advance(20_000);
      house.serve(editedMapping('[POST /api/topup|airtime]', '[POST /api/airtime]'));
      house.setAway(JOURNAL_AWAY);
      const sameSale = [fields, ...(fields === nameless ? [{ time: '09:42' }] : [])];
      for (const same of sameSale)
        expect(await told(house, ask(house, same))).toMatchObject({ http: 200, status: 'pending', code: undefined });
      expect(await told(house, ask(house, { ...fields, amount: '99' }))).toMatchObject({ http: 404, status: 'fail' });
    }
  });

  test('with an id, refused while the journal cannot be read, is pending for a script that sells what is pending only if it came before', async () => {
    const house = openWalkHouse({ ...slowly(5_000, SUCCESS), mapping: selling(shippedMapping()) });
    await hangUpAfter(500, house, { 'request-id': 'r-1' });
    await house.clock.advance(20_000);
    house.serve(selling(refusing()));
    house.setAway(JOURNAL_AWAY);
    expect(await told(house, ask(house, { 'request-id': 'r-1' }))).toMatchObject({ http: 200, status: 'pending' });
    // It would deliver what nobody buys.
    expect(await told(house, ask(house, { 'request-id': 'r-2' }))).toMatchObject(UNREAD);
  });

  test('is another sale where a header says that the same request is in another format', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
    const keyring = createKeyring(new Secret('test'));
    const tokenOf = (format: string): string =>
      keyring.sealToken({ apiKey: new Secret(WALK_KEY), pin: new Secret('1234'), format });
    // GLO in format B, AIRTEL in format A.
    const askAs = (format: string): Promise<Served> =>
      house.gateway.handle(
        legacyRequest({
          body: { network: '2', phone: '08030000001', amount: '100', ported_number: 'true' },
          headers: { authorization: `Token ${tokenOf(format)}`, userAgent: 'axios/1.7' },
        }),
        openLine().line,
      );
    void askAs('a');
    await house.clock.advance(1_000);
    void askAs('b');
    await house.clock.advance(10_000);
    expect(house.upstream.sent).toHaveLength(2);
  });

  test('is the same sale where a newer price list or build makes another content of the same request', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
    ask(house).hangUp();
    await house.clock.advance(1_000);
    house.serve({ ...withoutPorted(), hash: shippedMapping().hash });
    expect(await told(house, ask(house))).toMatchObject({ reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  describe('where a changed mapping reads a field as the id that was none before', () => {
    const withOrderNo = (): Mapping => editedMapping('requestId, ref, ident]', 'requestId, ref, ident, order_no]');
    const sale = { order_no: 'shop-7' };

    test('is the same sale; once its outcome was told the next one is another', async () => {
      const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
      ask(house, sale).hangUp();
      await house.clock.advance(1_000);
      house.serve(withOrderNo());
      expect(await told(house, ask(house, sale))).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
      expect(house.upstream.sent).toHaveLength(1);
      expect(await told(house, ask(house, sale))).toMatchObject({ reference: 'V2' });
      expect(await told(house, ask(house, sale))).toMatchObject({ reference: 'V2' });
      expect(house.upstream.sent.map(({ requestId }) => requestId).slice(1)).toEqual(['shop-7']);
    });

    test('is the same sale also where the changed mapping refuses it, until its outcome was told', async () => {
      const doubted: string[] = [];
      let isUnread = false;
      const house = openWalkHouse({
        ...slowly(5_000, SUCCESS, AGAIN),
        wrapJournal: (stored) => ({
          find: (owner, id) => (isUnread && id.startsWith('CG') ? Promise.reject(new Error('reset')) : stored.find(owner, id)),
          doubt: ({ requestId }) => void doubted.push(requestId),
        }),
      });
      const ids = ['requestId, ref, ident]', 'requestId, ref, ident, order_no]'] as const;
      for (const [fields, sent] of [
        [sale, {}],
        [{}, { 'x-shop': 'shop-7' }],
      ] as const) {
        house.serve(shippedMapping());
        ask(house, fields, sent).hangUp();
        await house.clock.advance(20_000);
        house.serve(editedMapping('min: 1,', 'min: 500,', ids, ['[Idempotency-Key,', '[X-Shop, Idempotency-Key,']));
        isUnread = true;
        expect(await told(house, ask(house, fields, sent))).toMatchObject({ status: 'pending', code: undefined });
        isUnread = false;
        expect(await told(house, ask(house, fields, sent))).toMatchObject({ status: 'success', code: undefined });
        expect(await told(house, ask(house, fields, sent))).toMatchObject({ status: 'fail', code: 'invalid_field' });
      }
      expect(house.upstream.sent).toHaveLength(2);
      // A doubt would be written as an order of the new id that was never sent.
      expect(doubted).toEqual([]);
    });

    test('is the same sale also where the journal cannot show the order for a moment', async () => {
      for (const [fields, sent] of [
        [sale, {}],
        [{}, { 'idempotency-key': 'shop-7' }],
      ] as const) {
        const house = openWalkHouse({
          ...slowly(5_000, SUCCESS, AGAIN),
          mapping: editedMapping('[Idempotency-Key,', '[X-Shop,'),
        });
        ask(house, fields, sent).hangUp();
        await house.clock.advance(20_000);
        house.serve(withOrderNo());
        house.setAway(['find']);
        const again = ask(house, fields, sent);
        await house.clock.advance(700);
        house.setAway([]);
        expect(await told(house, again)).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
        expect(house.upstream.sent).toHaveLength(1);
      }
    });

    test('is the same sale after a restart as well', async () => {
      const first = openWalkHouse(slowly(5_000, UNKNOWN));
      ask(first, sale).hangUp();
      await first.clock.advance(1_000);
      const second = openWalkHouse({ ...slowly(0, AGAIN), beside: first, mapping: withOrderNo() });
      await told(second, ask(second, sale));
      const [sent] = first.upstream.sent;
      expect(second.upstream.sent.filter(({ requestId }) => requestId !== sent!.requestId)).toEqual([]);
    });

    test('is the same sale also where another gateway has still the mapping of before, and takes it after this one has sold', async () => {
      const parts: WalkHouseOptions['parts'] = { toldSales: () => toldStore() };
      const behind = openWalkHouse({ ...slowly(5_000, SUCCESS), parts });
      const ahead = openWalkHouse({ ...slowly(0, AGAIN), beside: behind, mapping: withOrderNo(), parts });
      expect(await told(ahead, ask(ahead, { amount: '99', order_no: 'shop-6' }))).toMatchObject({ status: 'success' });
      await ahead.clock.advance(2 * MINUTE);
      ask(behind, sale).hangUp();
      await behind.clock.advance(20_000);
      expect(await told(ahead, ask(ahead, sale))).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
      expect(ahead.upstream.sent.map(({ requestId }) => requestId)).toEqual(['shop-6']);
    });

    test('costs the sales of a key with their own ids one search of the journal, until the mapping changes', async () => {
      let looks = 0;
      const house = openWalkHouse({
        ...slowly(0, SUCCESS, AGAIN),
        wrapJournal: (stored) => ({ listUntold: (query) => ((looks += 1), stored.listUntold(query)) }),
      });
      for (const nth of [1, 2, 3]) await told(house, ask(house, { ref: `r-${nth}` }));
      expect(looks).toBe(1);
      house.serve(withOrderNo());
      for (const nth of [4, 5]) await told(house, ask(house, { ref: `r-${nth}` }));
      expect(looks).toBe(2);
    });
  });

  describe('where a changed mapping reads no id in a field that was the id before', () => {
    const sale = { ref: 'shop-7' };
    const dropped = ['requestId, ref, ident]', 'requestId, ident]'] as const;
    const changes: readonly (readonly [what: string, sale: Fields, change: () => Mapping])[] = [
      ['and none in another', sale, () => editedMapping(...dropped)],
      ['but another id in another field', { ...sale, order_no: '8' }, () => editedMapping('requestId, ref, ident]', 'order_no]')],
      ['and refuses the sale', sale, () => editedMapping('min: 1,', 'min: 500,', dropped)],
      ['that differs from another id', { ...sale, order_no: '8' }, () => editedMapping('ref, ident]', 'ref, ident, order_no]')],
    ];

    test.each(changes)('%s: is the same sale, also when its script has heard "pending"', async (_what, fields, change) => {
      const house = openWalkHouse(slowly(12_000, SUCCESS, AGAIN));
      expect(await told(house, ask(house, fields))).toMatchObject({ status: 'pending' });
      await house.clock.advance(10_000);
      house.serve(change());
      // The second of these repeats comes after the success was told.
      for (let nth = 0; nth < 2; nth += 1)
        expect(await told(house, ask(house, fields))).toMatchObject({ status: 'success', reference: 'V1', code: undefined });
      expect(house.upstream.sent).toHaveLength(1);
      // A sale under the changed mapping has no id of the field.
      await house.clock.advance(11 * MINUTE);
      await told(house, ask(house, fields));
      expect(house.upstream.sent.map(({ requestId }) => requestId).slice(1)).not.toContain('shop-7');
    });

    test('and refuses the sale: is the same sale also in other words, and another id is another sale', async () => {
      const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
      await hangUpAfter(500, house, { ...sale, time: '09:41' });
      await house.clock.advance(20_000);
      house.serve(changes[2]![2]());
      expect(await told(house, ask(house, { ref: 'shop-8', time: '09:42' }))).toMatchObject({ http: 400, status: 'fail' });
      expect(await told(house, ask(house, { ...sale, time: '09:42' }))).toMatchObject({ status: 'success', reference: 'V1' });
    });
  });

  test('two at the same instant are one order', async () => {
    const house = openWalkHouse(slowly(1_000, SUCCESS, AGAIN));
    const both = [ask(house), ask(house)];
    await house.clock.advance(10_000);
    const replies = await Promise.all(both.map((script) => told(house, script)));
    expect(replies.map(({ reference }) => reference)).toEqual(['V1', 'V1']);
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('of PINs, which name no customer, is another sale while the first script still waits, and the same one once that has hung up', async () => {
    const pinsOf = (reference: string): Outcome => {
      const delivery = { pins: [{ pin: `pin of ${reference}`, serial: `serial of ${reference}` }] };
      return { kind: 'succeeded', reference, delivery };
    };
    const house = openWalkHouse(slowly(5_000, pinsOf('V1'), pinsOf('V2'), pinsOf('V3'), pinsOf('V4')));
    const other = openWalkHouse({ beside: house, ...slowly(5_000, pinsOf('W1')) });
    const atOnce = [askForPins(house), askForPins(house)];
    await house.clock.advance(1_000);
    atOnce.push(askForPins(other));
    await house.clock.advance(10_000);
    expect(await Promise.all(atOnce.map(pinOf))).toEqual(['pin of V1', 'pin of V2', 'pin of W1']);
    const third = askForPins(house);
    await house.clock.advance(1_000);
    third.end(false);
    await house.clock.advance(1_000);
    expect(await pinToldNow(house)).toBe('pin of V3');
    expect(house.upstream.sent).toHaveLength(3);
  });

  test('of PINs whose number the mapping fixes is not told the PIN of a sale that still runs', async () => {
    const sales = ['V1', 'V2'].map((reference) => ({ ...SUCCESS, reference }));
    const house = openWalkHouse({ ...slowly(5_000, ...sales), find: receiptOfPins, mapping: ofOnePin() });
    const one = askForPins(house);
    await house.clock.advance(1_000);
    const other = askForPins(house);
    await house.clock.advance(10_000);
    expect(await Promise.all([one, other].map(pinOf))).toEqual(['pin of V1', 'pin of V2']);
  });

  test('of PINs that a changed mapping refuses is pending without an id while another script waits for the order, and told once', async () => {
    const house = openWalkHouse({ ...slowly(5_000, SUCCESS), find: receiptOfPins });
    const first = askForPins(house);
    await house.clock.advance(1_000);
    house.serve(refusingPins());
    expect((await askForPins(house).served).reply.body).toMatchObject({ status: 'pending', 'request-id': null });
    first.end(false);
    await house.clock.advance(10_000);
    // The first of two hangs up before its reply again, so the order is told once more.
    for (const isWhole of [false, true]) {
      const both = [askForPins(house), askForPins(house)];
      await house.clock.advance(5_000);
      expect(await Promise.all(both.map(pinOf))).toEqual(['pin of V1', undefined]);
      for (const { end } of both) end(isWhole);
      await house.clock.advance(5_000);
    }
    expect(await pinOf(askForPins(house))).toBeUndefined();
  });

  test('of PINs that a changed mapping refuses at another process is pending while the first script may still be told', async () => {
    const house = openWalkHouse({
      ...slowly(5_000, SUCCESS),
      find: (call, nth) => (nth === 0 ? { kind: 'unavailable', reason: 'HTTP 500' } : receiptOfPins(call)),
      parts: { toldSales: () => toldStore() },
    });
    const other = { find: receiptOfPins, beside: house, mapping: refusingPins(), parts: { toldSales: () => toldStore() } };
    const first = askForPins(house);
    // The order is sold by now, and its PINs are not read yet.
    await house.clock.advance(5_100);
    const another = askForPins(openWalkHouse(other));
    await house.clock.advance(20_000);
    expect((await another.served).reply.body).toMatchObject({ status: 'pending', 'request-id': null });
    expect(await pinOf(first)).toBe('pin of V1');
  });

  test('of PINs that were sold and not told is told to one script, and not to another customer of the same instant', async () => {
    const sales = ['V1', 'V2', 'V3', 'V4'].map((reference) => ({ ...SUCCESS, reference }));
    const house = openWalkHouse({ ...slowly(5_000, ...sales), find: receiptOfPins });
    askForPins(house).end(false);
    await house.clock.advance(20_000);
    // The first of two hangs up before its reply again, so the order is told once more.
    for (const [isWhole, another] of [
      [false, 'pin of V2'],
      [true, 'pin of V3'],
    ] as const) {
      const [one, other] = [askForPins(house), askForPins(house)];
      await house.clock.advance(10_000);
      expect(await Promise.all([one, other].map(pinOf))).toEqual(['pin of V1', another]);
      one.end(isWhole);
      other.end(true);
      await house.clock.advance(10_000);
    }
    expect(await pinToldNow(house)).toBe('pin of V4');
    expect(house.upstream.sent).toHaveLength(4);
  });

  test('of PINs for another customer is a sale of its own, though both send false as the id', async () => {
    const house = openWalkHouse({ ...slowly(0, SUCCESS, AGAIN), find: receiptOfPins });
    const body = { exam_name: 'WAEC', quantity: 1, 'request-id': false };
    const askNow = async (): Promise<string | undefined> => {
      const { line, end } = openLine();
      const served = house.gateway.handle(legacyRequest({ path: '/api/epin/', body, headers: AXIOS }), line);
      await house.clock.advance(10_000);
      end(true);
      return pinOf({ served, end });
    };
    expect([await askNow(), await askNow()]).toEqual(['pin of V1', 'pin of V2']);
  });

  test.each([0, 1_500])('of PINs that 14 customers left is told to 14, who come %d ms after another', async (betweenMs) => {
    const sales = Array.from({ length: 28 }, (_, nth) => ({ ...SUCCESS, reference: `V${nth + 1}` }));
    const house = openWalkHouse({ ...slowly(5_000, ...sales), find: receiptOfPins });
    const left = sales.slice(0, 14).map(() => askForPins(house));
    await house.clock.advance(2_500);
    for (const { end } of left) end(false);
    await house.clock.advance(3 * MINUTE);
    const again: ReturnType<typeof askForPins>[] = [];
    while (again.length < left.length) {
      const script = askForPins(house);
      void script.served.then(() => script.end(true));
      again.push(script);
      await house.clock.advance(betweenMs);
    }
    await house.clock.advance(20_000);
    const pins = await Promise.all(again.map(pinOf));
    expect(pins.sort()).toEqual(
      sales
        .slice(0, 14)
        .map(({ reference }) => `pin of ${reference}`)
        .sort(),
    );
    expect(house.upstream.sent).toHaveLength(14);
  });

  test.each([
    ['were sold and not told', 20_000, ['pin of V1', 'pin of V2']],
    ['are under way', 1_000, ['pin of V2', 'pin of V3']],
  ] as const)(
    'of PINs that %s is told to one customer, and not to another one at another process',
    async (_title, waitedMs, heard) => {
      const house = openWalkHouse({ ...slowly(5_000, SUCCESS), find: receiptOfPins });
      const others = [AGAIN, { ...SUCCESS, reference: 'V3' }].map((sale) =>
        openWalkHouse({ ...slowly(0, AGAIN, sale), find: receiptOfPins, beside: house }),
      );
      askForPins(house).end(false);
      await house.clock.advance(waitedMs);
      const both = others.map((other) => askForPins(other));
      await house.clock.advance(10_000);
      for (const { end } of both) end(true);
      expect(await Promise.all(both.map(pinOf))).toEqual(heard);
    },
  );

  test('of PINs is told once more where the script that took them has hung up before the reply had left', async () => {
    const house = openWalkHouse({ ...slowly(5_000, SUCCESS, AGAIN), find: receiptOfPins });
    askForPins(house).end(false);
    await house.clock.advance(1_000);
    const second = askForPins(house);
    await house.clock.advance(10_000);
    expect(await pinOf(second)).toBe('pin of V1');
    second.end(false);
    await house.clock.advance(5_000);
    expect(await pinToldNow(house)).toBe('pin of V1');
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('of PINs that its next sending has taken while the disk was slow buys no others, as its script has hung up', async () => {
    let isSlow = false;
    const wrapJournal = (stored: Journal, clock: WalkHouse['clock']): Partial<Journal> => ({
      tell: (...telling) => (isSlow ? pause(clock, 5_000) : Promise.resolve()).then(() => stored.tell(...telling)),
    });
    const house = openWalkHouse({ ...slowly(5_000, SUCCESS, AGAIN), find: receiptOfPins, wrapJournal });
    askForPins(house).end(false);
    await house.clock.advance(20_000);
    isSlow = true;
    const left = askForPins(house);
    await house.clock.advance(1_000);
    left.end(false);
    isSlow = false;
    expect(await pinToldNow(house)).toBe('pin of V1');
    expect(await pinOf(left)).toBeUndefined();
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('of PINs is told once also where the journal does not take that they are told', async () => {
    const wrapJournal = (stored: Journal): Partial<Journal> => ({
      tell: (owner, requestId, toldAtMs, ...more) =>
        toldAtMs > TOLD_PENDING
          ? Promise.reject(new Error('connection reset'))
          : stored.tell(owner, requestId, toldAtMs, ...more),
    });
    const house = openWalkHouse({ ...slowly(2_000, SUCCESS, AGAIN), find: receiptOfPins, wrapJournal });
    askForPins(house).end(false);
    await house.clock.advance(10_000);
    const left = askForPins(house);
    await house.clock.advance(10_000);
    expect(await pinOf(left)).toBe('pin of V1');
    left.end(false);
    const heard = askForPins(house);
    await house.clock.advance(10_000);
    expect(await pinOf(heard)).toBe('pin of V1');
    heard.end(true);
    await house.clock.advance(10_000);
    expect(await pinToldNow(house)).toBe('pin of V2');
  });

  test.each([1_000, 20_000])(
    'of PINs whose script hung up, and that another customer is told, is another sale under its own X-Request-Id too: after %d ms',
    async (waitedMs) => {
      const house = openWalkHouse({ ...slowly(2_000, SUCCESS, AGAIN), find: receiptOfPins });
      const [own, others] = [{ 'x-request-id': 'trace-1' }, { 'x-request-id': 'trace-2' }];
      askForPins(house, own).end(false);
      await house.clock.advance(waitedMs);
      const both = [askForPins(house, others), askForPins(house, own)];
      for (const ms of [10, 10, 20_000]) await house.clock.advance(ms);
      expect((await Promise.all(both.map(pinOf))).sort()).toEqual(['pin of V1', 'pin of V2']);
    },
  );

  test('of PINs that a changed mapping refuses is told once, also where their own X-Request-Id asks after another one', async () => {
    const house = openWalkHouse({ ...slowly(2_000, SUCCESS), find: receiptOfPins });
    const [own, others] = [{ 'x-request-id': 'trace-1' }, { 'x-request-id': 'trace-2' }];
    askForPins(house, own).end(false);
    await house.clock.advance(20_000);
    house.serve(refusingPins());
    for (const [sent, pin] of [
      [others, 'pin of V1'],
      [own, undefined],
    ] as const) {
      const script = askForPins(house, sent);
      await house.clock.advance(5_000);
      script.end(true);
      expect(await pinOf(script)).toBe(pin);
    }
  });

  test.each([1, 2])(
    'of PINs that another customer has taken, by its own X-Request-Id, leaves them told where read %i of that order fails',
    async (nth) => {
      let reads = Infinity;
      const wrapJournal = (stored: Journal, clock: WalkHouse['clock']): Partial<Journal> => ({
        find: async (...asked) => {
          reads += 1;
          if (reads === nth) throw new Error('connection reset');
          return stored.find(...asked);
        },
        open: (...order) => pause(clock, 50).then(() => stored.open(...order)),
      });
      const house = openWalkHouse({ ...slowly(2_000, SUCCESS, AGAIN), find: receiptOfPins, wrapJournal });
      const own = { 'x-request-id': 'trace-1' };
      askForPins(house, own).end(false);
      await house.clock.advance(20_000);
      expect(await pinToldNow(house)).toBe('pin of V1');
      reads = 0;
      const script = askForPins(house, own);
      await house.clock.advance(40);
      script.end(false);
      await house.clock.advance(10_000);
      expect(await pinToldNow(house)).toBe('pin of V2');
    },
  );

  test('of a sale that has ended is pending where no process can write down that it has told it, as neighbours would not know', async () => {
    const disk = fullDisk();
    const shared = { wrapJournal: disk.wrapJournal, parts: sharedList() };
    const house = openWalkHouse({ ...slowly(2_000, SUCCESS), ...shared });
    const other = openWalkHouse({ ...slowly(2_000, AGAIN), ...shared, beside: house });
    await hangUpAfter(1_000, house);
    await house.clock.advance(20_000);
    disk.isFull = true;
    for (const one of [house, other]) expect(await told(one, ask(one))).toMatchObject({ status: 'pending', reference: null });
    disk.isFull = false;
    for (const [one, reference] of [
      [house, 'V1'],
      [other, 'V2'],
    ] as const)
      expect(await told(one, ask(one))).toMatchObject({ status: 'success', reference });
  });

  test('of a script that delivers what is pending is refused as unread while nothing can be written, for another process may have told the end', async () => {
    const disk = fullDisk();
    const mapping = selling(shippedMapping());
    const house = openWalkHouse({ ...slowly(2_000, SUCCESS), wrapJournal: disk.wrapJournal, mapping, parts: sharedList() });
    await hangUpAfter(1_000, house);
    await house.clock.advance(20_000);
    disk.isFull = true;
    // Before it is known that nothing can be written.
    await told(house, ask(house));
    expect(await told(house, ask(house))).toMatchObject(UNREAD);
  });

  test('is pending for a minute where another process was to tell the end, and no reply with it is known to have left', async () => {
    const parts = { toldSales: () => toldStore() };
    const house = openWalkHouse({ ...slowly(2_000, SUCCESS), parts });
    const other = openWalkHouse({ ...slowly(2_000, AGAIN), beside: house, parts });
    await hangUpAfter(1_000, house);
    await house.clock.advance(20_000);
    // This process dies now: its reply never left.
    expect(await told(house, ask(house))).toMatchObject({ reference: 'V1' });
    expect(await told(other, ask(other))).toMatchObject({ status: 'pending', reference: null });
    await house.clock.advance(MINUTE);
    expect(await told(other, ask(other))).toMatchObject({ reference: 'V2' });
  });

  describe('after one that hung up while a slow journal noted that the end was told', () => {
    const wrapJournal = (stored: Journal, clock: VirtualClock): Journal =>
      keepAnswers({
        ...stored,
        tell: (...telling) => pause(clock, telling[2] > TOLD_PENDING ? 3_000 : 0).then(() => stored.tell(...telling)),
      });

    test('is told the end', async () => {
      const house = openWalkHouse({ ...slowly(2_000, SUCCESS, AGAIN), wrapJournal, parts: { toldSales: () => toldStore() } });
      await hangUpAfter(1_000, house);
      await house.clock.advance(20_000);
      await hangUpAfter(1_000, house);
      await house.clock.advance(500);
      expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V1' });
      expect(house.upstream.sent).toHaveLength(1);
    });

    test('is told the PINs', async () => {
      const house = openWalkHouse({ ...slowly(2_000, SUCCESS, AGAIN), wrapJournal, find: receiptOfPins });
      askForPins(house).end(false);
      await house.clock.advance(20_000);
      const left = askForPins(house);
      await house.clock.advance(1_000);
      left.end(false);
      await house.clock.advance(500);
      expect(await pinToldNow(house)).toBe('pin of V1');
      expect(house.upstream.sent).toHaveLength(1);
    });
  });

  test.each([
    ['', ['pin of V1', 'pin of V2']],
    [', and that a changed mapping refuses,', ['pin of V1', undefined]],
  ])('of PINs that no process can write down as told%s is pending until one can', async (refused, heard) => {
    const disk = fullDisk();
    const shared = { find: receiptOfPins, wrapJournal: disk.wrapJournal, parts: sharedList() };
    const house = openWalkHouse({ ...slowly(2_000, SUCCESS), ...shared });
    const other = openWalkHouse({ ...slowly(2_000, AGAIN), ...shared, beside: house });
    askForPins(house).end(false);
    await house.clock.advance(20_000);
    disk.isFull = true;
    if (refused !== '') for (const one of [house, other]) one.serve(refusingPins());
    const both = [askForPins(house), askForPins(other)];
    await house.clock.advance(10_000);
    for (const { end } of both) end(true);
    for (const { served } of both) expect((await served).reply.body).toMatchObject({ status: 'pending' });
    disk.isFull = false;
    await house.clock.advance(10_000);
    expect([await pinToldNow(house), await pinToldNow(other)]).toEqual(heard);
  });

  test('of PINs is told to the script that waits, and not to one at another process that has hung up', async () => {
    const house = openWalkHouse({ ...slowly(5_000, SUCCESS), find: receiptOfPins });
    const other = (): WalkHouse => openWalkHouse({ ...slowly(0, AGAIN), find: receiptOfPins, beside: house });
    askForPins(house).end(false);
    await house.clock.advance(20_000);
    askForPins(other()).end(false);
    const waiting = askForPins(other());
    await house.clock.advance(10_000);
    expect(await pinOf(waiting)).toBe('pin of V1');
  });

  describe.each([false, true])('of PINs (X-Request-Id of a proxy: %s)', (isNamed) => {
    behindProxy(isNamed);

    test('under way at a process that was taken for dead is told to one customer, and not to the one that waits there', async () => {
      const house = openWalkHouse({ ...slowly(2_000, SUCCESS, { ...SUCCESS, reference: 'V3' }), find: receiptOfPins });
      const other = openWalkHouse({ ...slowly(0, AGAIN), find: receiptOfPins, beside: house });
      const waiting = askForPins(house);
      await house.clock.advance(1_000);
      await markUntold(house.journal, [house.clock.now()]);
      const repeating = askForPins(other);
      await house.clock.advance(500);
      repeating.end(true);
      await house.clock.advance(20_000);
      expect(await Promise.all([repeating, waiting].map(pinOf))).toEqual(['pin of V2', 'pin of V3']);
    });

    test('just sold at a process that is taken for dead while it reads them is told to one customer', async () => {
      const slowReceipt = (call: V1Call): Promise<Finding> => pause(house.clock, 2_000).then(() => receiptOfPins(call));
      const parts = sharedList();
      const house = openWalkHouse({
        ...slowly(0, SUCCESS, { ...SUCCESS, reference: 'V3' }),
        find: (call) => slowReceipt(call),
        parts,
      });
      const other = openWalkHouse({ ...slowly(0, AGAIN), find: receiptOfPins, beside: house, parts });
      const waiting = askForPins(house);
      await house.clock.advance(500);
      await markUntold(house.journal, [house.clock.now()]);
      const repeating = askForPins(other);
      await house.clock.advance(500);
      repeating.end(true);
      await house.clock.advance(20_000);
      expect(await Promise.all([repeating, waiting].map(pinOf))).toEqual(['pin of V1', 'pin of V3']);
    });
  });

  test.each([0, 2_000])(
    'of PINs under their own X-Request-Id is told them each time, at whichever process it comes: receipt after %d ms',
    async (receiptMs) => {
      const shared = {
        find: (call: V1Call): Promise<Finding> => pause(house.clock, receiptMs).then(() => receiptOfPins(call)),
        parts: sharedList(),
      };
      const house = openWalkHouse({ ...slowly(0, SUCCESS, AGAIN), ...shared });
      const other = openWalkHouse({ ...slowly(0, AGAIN), ...shared, beside: house });
      const buyAt = async (at: WalkHouse): Promise<void> => {
        const script = askForPins(at, { 'x-request-id': 'exam-order-7' });
        await house.clock.advance(10_000);
        script.end(true);
        await house.clock.advance(1_000);
        expect(await pinOf(script)).toBe('pin of V1');
      };
      for (const at of [house, house, other, other]) await buyAt(at);
      for (const at of [house, other]) at.serve(refusingPins());
      for (const at of [house, other]) await buyAt(at);
    },
  );

  test.each([
    [false, 0],
    [true, 0],
    [true, 2_000],
  ])(
    'of PINs under their own X-Request-Id, while the first still waits, hears the same ones: other processes sell: %s, receipt after %d ms',
    async (doOthersSell, receiptMs) => {
      const house = openWalkHouse({
        ...slowly(8_000, SUCCESS, AGAIN),
        find: (call) => pause(house.clock, receiptMs).then(() => receiptOfPins(call)),
        parts: doOthersSell ? sharedList() : {},
      });
      const both: ReturnType<typeof askForPins>[] = [];
      for (const waitedMs of [4_000, 40_000]) {
        const script = askForPins(house, { 'x-request-id': 'exam-order-7' });
        void script.served.then(() => script.end(true));
        both.push(script);
        await house.clock.advance(waitedMs);
      }
      expect(await Promise.all(both.map(pinOf))).toEqual(['pin of V1', 'pin of V1']);
      expect(house.upstream.sent).toHaveLength(1);
    },
  );

  test.each([
    [false, 'second', 0],
    [true, 'second', 0],
    [true, 'second', 5_000],
    [true, 'first', 0],
  ] as const)(
    'of PINs under their own X-Request-Id hears the same ones where one of two connections broke behind its reply: other processes sell: %s, %s, %d ms',
    async (doOthersSell, broken, afterMs) => {
      const shared = { find: receiptOfPins, parts: doOthersSell ? sharedList() : {} };
      const house = openWalkHouse({ ...slowly(8_000, SUCCESS, AGAIN), ...shared });
      const own = { 'x-request-id': 'exam-order-7' };
      const first = askForPins(house, own);
      await house.clock.advance(4_000);
      const second = askForPins(house, own);
      const [left, whole] = broken === 'first' ? [first, second] : [second, first];
      void whole.served.then(() => whole.end(true));
      await house.clock.advance(4_500 + afterMs);
      left.end(false);
      await house.clock.advance(20_000);
      // A process that has begun since, or sells beside this one.
      const other = openWalkHouse({ ...slowly(0, THIRD), ...shared, beside: house });
      const stranger = askForPins(other, { 'x-request-id': 'exam-order-8' });
      await house.clock.advance(10_000);
      stranger.end(true);
      const again = askForPins(house, own);
      await house.clock.advance(10_000);
      expect(await Promise.all([first, second, again, stranger].map(pinOf))).toEqual([
        ...['pin of V1', 'pin of V1', 'pin of V1'],
        'pin of V3',
      ]);
    },
  );

  test('of PINs under their own X-Request-Id hears others where the journal does not take that another customer hears these', async () => {
    let failures = 1;
    const wrapJournal = (stored: Journal): Partial<Journal> => ({
      tell: async (...telling) => {
        if (telling[2] > TOLD_PENDING && failures-- > 0) throw new Error('connection reset');
        return stored.tell(...telling);
      },
    });
    // The other customer asks second for the receipt, and has it first.
    const receiptMs = [900, 0];
    const house = openWalkHouse({
      ...slowly(2_000, SUCCESS, AGAIN),
      find: (call) => pause(house.clock, receiptMs.shift() ?? 0).then(() => receiptOfPins(call)),
      wrapJournal,
    });
    const own = { 'x-request-id': 'trace-1' };
    askForPins(house, own).end(false);
    await house.clock.advance(1_000);
    const both = [{ 'x-request-id': 'trace-2' }, own].map((sent) => askForPins(house, sent));
    await house.clock.advance(20_000);
    expect(await Promise.all(both.map(pinOf))).toEqual(['pin of V1', 'pin of V2']);
  });

  test('is told the success whose reply met a closed connection, and the next one buys', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
    await hangUpAfter(1_000, house);
    await house.clock.advance(20_000);
    expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
    expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V2', repeat: undefined });
  });

  test.each([
    ['that v1 has sold, and not the later one that v1 refused as identical', 3_000, [SUCCESS, IDENTICAL], 'V1', []],
    ['that v1 has sold, and not the one opened first that v1 refused as identical', 3_000, [IDENTICAL, SUCCESS], 'V1', []],
    ['that v1 has sold, and not the one opened first, which has no end', 3_000, [UNKNOWN, SUCCESS], 'V1', []],
    [
      'without an end, which v1 may have, and not the one opened first that v1 refused',
      3_000,
      [IDENTICAL, UNKNOWN],
      'V2',
      ['second'],
    ],
    [
      'opened first, of which v1 knows more than of the later one, where both processes have died',
      ...([10 * MINUTE, [SUCCESS, IDENTICAL], 'V2', ['first']] as const),
    ],
  ] as const)(
    'of two orders that two processes opened within a second is the one %s',
    async (_title, afterMs, [firstAnswer, secondAnswer], reference, sent) => {
      const first = openWalkHouse(slowly(afterMs, firstAnswer));
      const second = openWalkHouse({ beside: first, ...slowly(afterMs - 1_000, REJECTED, secondAnswer) });
      const third = openWalkHouse({ beside: first, ...slowly(0, AGAIN) });
      // The second process has just looked for such orders.
      ask(second, { amount: '300' });
      for (const at of [first, second]) await hangUpAfter(200, at);
      await first.clock.advance(20_000);
      expect(await told(third, ask(third))).toMatchObject({ status: 'success', reference, repeat: 'joined' });
      const nameOf = (requestId: string) => (requestId === first.upstream.sent[0]!.requestId ? 'first' : 'second');
      expect(third.upstream.sent.map(({ requestId }) => nameOf(requestId))).toEqual(sent);
    },
  );

  test('is another sale where this process has told the first, whatever another one marked while this one stood still', async () => {
    for (const mapping of [shippedMapping(), editedMapping('[Idempotency-Key,', '[X-Shop,')]) {
      let crowdedSeconds: number | undefined;
      const parts = { ...sharedList(), crowdedSeconds: () => crowdedSeconds };
      const house = openWalkHouse({ ...slowly(100, SUCCESS, AGAIN), parts });
      expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V1' });
      await house.journal.tell(house.owner, house.upstream.sent[0]!.requestId, NOT_TOLD);
      house.serve(mapping);
      crowdedSeconds = 5;
      expect(await told(house, ask(house))).toMatchObject({ status: 'fail', code: 'overloaded' });
      crowdedSeconds = undefined;
      expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V2', repeat: undefined });
    }
  });

  test('is refused as unread where it may have waited unread in a process that stood still, while another process told the sale', async () => {
    const parts = sharedList();
    const first = openWalkHouse({ ...slowly(100, SUCCESS), parts });
    const frozen = openWalkHouse({ ...slowly(0, AGAIN), beside: first, parts });
    const pressed = ask(first);
    await first.clock.advance(6_000);
    for (const [heldUpMs, heard] of [
      [8_000, UNREAD],
      [2_000, { status: 'success', reference: 'V2' }],
    ] as const) {
      const late = ask(frozen, {}, {}, heldUpMs);
      const servedAt = late.served.then(() => frozen.clock.elapsed());
      const sentAt = frozen.clock.elapsed();
      expect(await told(frozen, late)).toMatchObject(heard);
      // Also the refusal: waiting would show no more.
      expect((await servedAt) - sentAt).toBeLessThan(500);
    }
    expect(await told(first, pressed)).toMatchObject({ status: 'success', reference: 'V1' });
    // What this process itself has told, or v1 has sold just now.
    const [alone, both] = [openWalkHouse(slowly(100, SUCCESS, AGAIN)), sharedList()];
    await told(alone, ask(alone));
    expect(await told(alone, ask(alone, {}, {}, MINUTE))).toMatchObject({ status: 'success', reference: 'V2' });
    const another = openWalkHouse({ ...slowly(100, SUCCESS), parts: both });
    const late = openWalkHouse({ ...slowly(0, IDENTICAL), beside: another, parts: both });
    ask(another);
    await another.clock.advance(2_000);
    expect(await told(late, ask(late, {}, {}, MINUTE))).toMatchObject({ status: 'fail', code: undefined });
  });

  test('of the second of two presses, while the first was told, is pending and not sent', async () => {
    const parts = sharedList();
    const first = openWalkHouse({ ...slowly(100, SUCCESS, AGAIN), parts });
    const second = openWalkHouse({ beside: first, ...slowly(60_000, UNKNOWN), parts });
    // The second process has just looked for such orders.
    ask(second, { amount: '300' });
    await first.clock.advance(200);
    const pressed = ask(first);
    await hangUpAfter(2_000, second);
    expect(await told(first, pressed)).toMatchObject({ status: 'success', reference: 'V1' });
    expect(await told(first, ask(first))).toMatchObject({ http: 200, status: 'pending' });
    expect(first.upstream.sent).toHaveLength(1);
  });

  test('of two orders without an end is pending and not sent: v1 may have sold the other one, and would sell this one as well', async () => {
    const parts = { toldSales: () => toldStore() };
    const first = openWalkHouse({ ...slowly(10 * MINUTE, SUCCESS), parts });
    const second = openWalkHouse({ beside: first, ...slowly(10 * MINUTE, REJECTED, SUCCESS), parts });
    const third = openWalkHouse({ beside: first, ...slowly(0, AGAIN), parts });
    // The second process has just looked for such orders.
    ask(second, { amount: '300' });
    for (const at of [first, second]) await hangUpAfter(200, at);
    await first.clock.advance(20_000);
    expect(await told(third, ask(third))).toMatchObject({ http: 200, status: 'pending', repeat: 'joined' });
    expect(third.upstream.sent).toEqual([]);
  });

  test.each([
    ['', {}, () => ({})],
    [', under the same header without its id', { 'request-id': 'r-1' }, () => ({ 'x-request-id': 'trace-7' })],
    [', under another header of a proxy', {}, () => ({ 'x-request-id': `proxy-${(requests += 1)}` })],
  ])(
    'is told the end of the first also where another process refuses it that has not seen the first yet%s',
    async (_title, id, sent) => {
      const shared = { toldSales: () => toldStore() };
      const first = openWalkHouse({ answers: [{ outcome: SUCCESS, afterMs: 300 }], parts: shared });
      const second = openWalkHouse({ beside: first, ...slowly(0, AGAIN), parts: { ...shared, crowdedSeconds: () => 5 } });
      // The second process has just looked for such orders.
      const other = ask(second, { amount: '300' });
      await hangUpAfter(200, first, id, sent());
      expect(await told(second, ask(second, {}, sent()))).toMatchObject({ status: 'success', reference: 'V1' });
      expect(await told(second, other)).toMatchObject({ status: 'fail', code: 'overloaded' });
      expect(second.upstream.sent).toEqual([]);
    },
  );

  test('under its id is told the end of the first also where another process refuses it while the first is being written', async () => {
    const shared = { toldSales: () => toldStore() };
    const first = openWalkHouse({
      ...{ answers: [{ outcome: SUCCESS }], parts: shared },
      wrapJournal: (journal, clock) => ({ open: (order) => pause(clock, 300).then(() => journal.open(order)) }),
    });
    const second = openWalkHouse({ beside: first, ...slowly(0, AGAIN), parts: { ...shared, crowdedSeconds: () => 5 } });
    const id = { 'request-id': 'twin' };
    const firstAsked = ask(first, id);
    await first.clock.advance(100);
    expect(await told(second, ask(second, id))).toMatchObject({ status: 'success', reference: 'V1' });
    expect(await told(first, firstAsked)).toMatchObject({ status: 'success', reference: 'V1' });
    expect(await told(second, ask(second, { 'request-id': 'other' }))).toMatchObject({ status: 'fail', code: 'overloaded' });
    expect(second.upstream.sent).toEqual([]);
  });

  test('is told the end of the first also where the changed mapping of another process refuses it that has not seen the first yet', async () => {
    const shared = { toldSales: () => toldStore() };
    const first = openWalkHouse({ answers: [{ outcome: SUCCESS, afterMs: 300 }], parts: shared });
    const second = openWalkHouse({ beside: first, mapping: refusing(), parts: shared });
    // The second process has just looked for such orders.
    const other = ask(second, { amount: '300' });
    await hangUpAfter(200, first);
    expect(await told(second, ask(second))).toMatchObject({ status: 'success', reference: 'V1' });
    expect(await told(second, other)).toMatchObject({ status: 'fail', code: 'invalid_field' });
  });

  describe.each([false, true])(
    'that came to another process before it saw the first, and whose order takes seconds to write, (X-Request-Id of a proxy: %s)',
    (isNamed) => {
      behindProxy(isNamed);

      const parts: WalkHouseOptions['parts'] = { toldSales: () => toldStore() };
      /** The second process looks, then waits so long for the journal, and lists no orders after that where `isUnreadable`. */
      const lateBeside = (first: WalkHouse, openMs: number, isUnreadable = false) => {
        let isAway = false;
        return openWalkHouse({
          ...{ beside: first, ...slowly(0, AGAIN), parts },
          wrapJournal: (journal, clock) => ({
            open: async (order) => {
              await new Promise<void>((resolve) => void clock.after(openMs, resolve));
              const opened = await journal.open(order);
              isAway = isUnreadable;
              return opened;
            },
            listUnsettled: (options) => (isAway ? Promise.reject(new Error('away')) : journal.listUnsettled(options)),
            listUntold: (options) => (isAway ? Promise.reject(new Error('away')) : journal.listUntold(options)),
            listOfOwner: (options) => {
              if (isAway) throw new Error('away');
              return journal.listOfOwner(options);
            },
          }),
        });
      };
      /** Meanwhile the first sells, and its script hangs up. */
      const countOpen = async ({ journal }: WalkHouse) => (await journal.listUnsettled({ limit: 10 })).length;
      const meet = async (answerMs: number, fields: Fields = {}, isUnreadable = false) => {
        const first = openWalkHouse({ answers: [{ outcome: SUCCESS, afterMs: answerMs }], parts });
        const second = lateBeside(first, 5_000, isUnreadable);
        const repeat = ask(second);
        await first.clock.advance(50);
        await hangUpAfter(200, first, fields);
        await first.clock.advance(6_000);
        return { told: await told(second, repeat), sent: second.upstream.sent.length, open: await countOpen(first) };
      };

      // Its own order, which was not sent, is not left open.
      test.each([
        ['is told the end of the first', 1_000, 0, { status: 'success', reference: 'V1', repeat: 'joined' }],
        ['is told the end of the first, which had an id', 1_000, 0, { status: 'success', reference: 'V1' }, { ref: 'r-1' }],
        ['is told that the first has no end', 30_000, 1, { status: 'pending' }],
      ])('%s, and is not sold', async (_title, answerMs, open, expected, fields: Fields = {}) => {
        expect(await meet(answerMs, fields)).toMatchObject({ told: expected, sent: 0, open });
      });

      test('is told pending, and is not sold, where the orders of other processes cannot be read', async () => {
        expect(await meet(1_000, {}, true)).toMatchObject({ told: { status: 'pending' }, sent: 0 });
      });

      test('is told the end of the first also where that script hung up and sent it once more', async () => {
        const first = openWalkHouse({ answers: [{ outcome: SUCCESS, afterMs: 1_000 }], parts });
        const second = lateBeside(first, 3_000);
        const repeat = ask(second);
        await first.clock.advance(50);
        const script = ask(first);
        await first.clock.advance(200);
        for (const one of [script, repeat]) one.hangUp();
        const third = ask(second);
        await first.clock.advance(8_000);
        expect(await told(second, third)).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
        expect(second.upstream.sent).toHaveLength(0);
      });

      test('is told the end of the first also where it repeats an order of its own process that v1 has refused', async () => {
        const first = openWalkHouse({ answers: [{ outcome: SUCCESS, afterMs: 1_000 }], parts });
        const delaysMs = [0, 0, 5_000];
        const second = openWalkHouse({
          ...{ beside: first, ...slowly(300, REJECTED, REJECTED, AGAIN), parts },
          wrapJournal: (journal, clock) => ({
            open: async (order) => {
              await new Promise<void>((resolve) => void clock.after(delaysMs.shift()!, resolve));
              return journal.open(order);
            },
          }),
        });
        // The second process has just looked for such orders, and looks once a second.
        ask(second, { amount: '300' });
        for (const at of [first, second]) await hangUpAfter(200, at);
        await first.clock.advance(300);
        const third = ask(second);
        await first.clock.advance(8_000);
        expect(await told(second, third)).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
        const [refused, ...reopened] = second.upstream.sent.slice(1);
        expect([refused, reopened]).toEqual([expect.anything(), []]);
        expect([delaysMs, await countOpen(second)]).toEqual([[], 0]);
      });

      test('is told the end of the first also where only that had an id, and v1 refuses the repeat as identical', async () => {
        const first = openWalkHouse({ answers: [{ outcome: SUCCESS, afterMs: 100 }], parts });
        const second = openWalkHouse({ beside: first, ...slowly(0, REJECTED, IDENTICAL), parts });
        // The second process has just looked for such orders, and looks once a second.
        ask(second, { amount: '300' });
        await hangUpAfter(50, first, { 'request-id': 'r-1' });
        await first.clock.advance(250);
        expect(await told(second, ask(second))).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
      });

      /** For another sale, two attempts without an answer, and one more. */
      const inTrouble = (last: Outcome) => [
        { outcome: REJECTED, afterMs: 0 },
        ...[UNKNOWN, UNKNOWN].map((outcome) => ({ outcome, afterMs: 3_000 })),
        { outcome: last, afterMs: 0 },
      ];

      /** At one gateway a script hangs up; its repeat comes to another one, whose attempts get these answers. */
      const repeatInTrouble = async (atFirst: Outcome, last: Outcome) => {
        const first = openWalkHouse({ answers: [{ outcome: atFirst, afterMs: 100 }], parts });
        const second = openWalkHouse({ beside: first, answers: inTrouble(last), parts });
        // The second process has just looked for such orders, and looks once a second.
        ask(second, { amount: '300' });
        await hangUpAfter(50, first);
        await first.clock.advance(250);
        const repeat = ask(second);
        await first.clock.advance(20_000);
        return { told: await told(second, repeat), sent: second.upstream.sent };
      };

      test('is told the end of the first, and is not sold, also where v1 leaves its attempts without an answer for longer than it refuses it as identical', async () => {
        const { told: heard, sent } = await repeatInTrouble(SUCCESS, AGAIN);
        expect(heard).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
        expect(sent.length).toBeLessThan(4);
      });

      // A customer who presses twice; the balancer leads to both gateways. With an id of its own the first is another sale, which was told.
      test.each([
        ['told the end of the first, and not sold,', {}, 'V1', 3],
        ['sold, where the first had an id,', { ref: 'r-1' }, 'V2', 4],
      ])(
        'is %s in such trouble also where the script of the first is told it meanwhile',
        async (_title, fields, reference, sent) => {
          const beside = sharedList();
          const first = openWalkHouse({ answers: [{ outcome: SUCCESS, afterMs: 100 }], parts: beside });
          const second = openWalkHouse({ beside: first, answers: inTrouble(AGAIN), parts: beside });
          ask(second, { amount: '300' });
          await first.clock.advance(200);
          const pressed = [ask(first, fields)];
          await first.clock.advance(40);
          pressed.push(ask(second));
          await first.clock.advance(20_000);
          const heard = await Promise.all(pressed.map((script) => told(first, script)));
          expect(heard).toMatchObject([{ reference: 'V1' }, { status: 'success', reference }]);
          expect(second.upstream.sent).toHaveLength(sent);
        },
      );

      test('is pending, and not sold, in such trouble also where it waited unread while the script of the first was told', async () => {
        const parts = sharedList();
        const first = openWalkHouse({ answers: [{ outcome: SUCCESS, afterMs: 100 }], parts });
        const frozen = openWalkHouse({ beside: first, answers: inTrouble(AGAIN), parts });
        ask(frozen, { amount: '300' });
        const pressed = ask(first);
        await first.clock.advance(2_000);
        const late = ask(frozen, {}, headersOfProxy(), 2_500);
        await first.clock.advance(20_000);
        expect(await told(first, pressed)).toMatchObject({ reference: 'V1' });
        expect(await told(frozen, late)).toMatchObject({ status: 'pending', reference: null });
        expect(frozen.upstream.sent).toHaveLength(2);
      });

      test('is asked about again where v1 has refused the first, perhaps because of it', async () => {
        const { told: heard, sent } = await repeatInTrouble(IDENTICAL, SUCCESS);
        expect(heard).toMatchObject({ status: 'success', reference: 'V1' });
        expect(sent).toHaveLength(4);
      });

      test('is sold where the first is another sale', async () => {
        expect(await meet(1_000, { amount: '200' })).toMatchObject({ told: { reference: 'V2' }, sent: 1 });
      });
    },
  );

  test('is told it also at another gateway on the same journal, and after a restart, where the open order was never asked for', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS));
    await hangUpAfter(1_000, house);
    await house.clock.advance(20_000);
    const other = openWalkHouse({ beside: house, ...slowly(0, AGAIN) });
    expect(await told(other, ask(other))).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
    expect(await told(other, ask(other))).toMatchObject({ status: 'success', reference: 'V2', repeat: undefined });
  });

  test('is another sale where another gateway has told the first, also while v1 leaves the attempt of this one without an answer', async () => {
    const parts = sharedList();
    const answers = [
      { outcome: SUCCESS, afterMs: 30_000 },
      { outcome: AGAIN, afterMs: 0 },
    ];
    const house = openWalkHouse({ answers, parts });
    await hangUpAfter(300, house);
    const other = openWalkHouse({ beside: house, ...slowly(0, SUCCESS), parts });
    expect(await told(other, ask(other))).toMatchObject({ reference: 'V1', repeat: 'joined' });
    expect(await told(house, ask(house))).toMatchObject({ reference: 'V2', repeat: undefined });
  });

  describe.each([false, true])(
    'with several processes on one journal, of which one has just died (X-Request-Id of a proxy: %s)',
    (isNamed) => {
      behindProxy(isNamed);

      /** Sold by a dead process; no other process has seen the order open. */
      const afterDeath = async (parts: WalkHouseOptions['parts'] = {}, read?: ToldStore['read'], answer: Outcome = AGAIN) => {
        const lines: string[] = [];
        const told = { ...toldStore(lines), ...(read === undefined ? {} : { read }) };
        const onTold = (order: Order, as: Told) => lines.push(toldLine(order, as));
        const house = openWalkHouse({ ...slowly(0, answer), parts: { toldSales: () => told, onTold, ...parts } });
        const soldThere: Order[] = [];
        const dead = openWalkHouse({ beside: house, ...slowly(0, SUCCESS), parts: { onTold: (order) => soldThere.push(order) } });
        await sellAt(dead);
        return { house, lines, sold: soldThere[0]! };
      };
      const sellAt = (house: WalkHouse) => told(house, ask(house));

      test('is the same order, once, where it is not known that the dead process told the sale', async () => {
        const { house } = await afterDeath();
        expect(await sellAt(house)).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
        expect(await sellAt(house)).toMatchObject({ status: 'success', reference: 'V2', repeat: undefined });
      });

      test('is the same order also where the clock was set back since', async () => {
        const { house } = await afterDeath();
        let setBackMs = 0;
        const clock = { ...house.clock, now: () => house.clock.now() - setBackMs };
        const other = openWalkHouse({ beside: house, ...slowly(0, AGAIN), parts: { clock, toldSales: () => toldStore() } });
        setBackMs = 24 * 60 * MINUTE;
        expect(await sellAt(other)).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
      });

      test('is another sale where the dead process told it, and so is every later one, when the others have marked its untold orders', async () => {
        const { house, lines, sold } = await afterDeath();
        lines.push(toldLine(sold));
        expect(await sellAt(house)).toMatchObject({ reference: 'V2', repeat: undefined });
        const later = await afterDeath();
        await later.house.clock.advance(136_000);
        expect(await sellAt(later.house)).toMatchObject({ reference: 'V2', repeat: undefined });
      });

      test('is pending where another process was about to tell it a moment ago by a clock that was put forward since', async () => {
        const { house, sold } = await afterDeath();
        let aheadMs = 0;
        const clock = { ...house.clock, now: () => house.clock.now() + aheadMs };
        const other = openWalkHouse({ beside: house, ...slowly(0, AGAIN), parts: { clock, toldSales: () => toldStore() } });
        await house.journal.tell(house.owner, sold.requestId, clock.now());
        await house.clock.advance(10_000);
        aheadMs = 24 * 60 * MINUTE;
        expect(await sellAt(other)).toMatchObject({ status: 'pending' });
      });

      test('is another sale where another process has told its success to a question since', async () => {
        const { house, lines, sold } = await afterDeath();
        const { line, end } = openLine();
        const question = { method: 'GET', path: `/api/transaction/${sold.requestId}`, headers: AXIOS };
        const served = house.gateway.handle(legacyRequest(question), line);
        expect(await told(house, { served, hangUp: () => end(false) })).toMatchObject({ status: 'success', reference: 'V1' });
        end(true);
        const other = openWalkHouse({ beside: house, ...slowly(0, AGAIN), parts: { toldSales: () => toldStore(lines) } });
        expect(await sellAt(other)).toMatchObject({ reference: 'V2', repeat: undefined });
      });

      test('is the same order after minutes in which nobody could mark the untold orders of the dead process', async () => {
        const { house } = await afterDeath({ unmarkedMs: () => 5 * MINUTE });
        await house.clock.advance(5 * MINUTE);
        expect(await sellAt(house)).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
        expect(await sellAt(house)).toMatchObject({ status: 'success', reference: 'V2', repeat: undefined });
      });

      test('is another sale where the list shows that the first was told, although its end is not written yet', async () => {
        const lines: string[] = [];
        const shared = { toldSales: () => toldStore(lines) };
        const house = openWalkHouse({ ...slowly(0, AGAIN), parts: shared });
        const other = openWalkHouse({ beside: house, ...slowly(60_000, SUCCESS), parts: shared });
        ask(other);
        await house.clock.advance(10_000);
        const [open] = await house.journal.listUnsettled({ limit: 1 });
        lines.push(toldLine(open!));
        expect(await sellAt(house)).toMatchObject({ reference: 'V2', repeat: undefined });
      });

      test('is the same order where a changed mapping refuses the request', async () => {
        const { house } = await afterDeath({ mapping: refusing });
        expect(await sellAt(house)).toMatchObject({ http: 200, status: 'success', reference: 'V1' });
        expect(await sellAt(house)).toMatchObject({ http: 400, code: 'invalid_field' });
      });

      test('is pending, and nothing is sent, while it cannot be read what was told', async () => {
        const cannot = () => Promise.reject(new Error('too many open files'));
        for (const mapping of [shippedMapping(), refusing()]) {
          const { house } = await afterDeath({ mapping: () => mapping }, cannot);
          expect(await sellAt(house)).toMatchObject({ http: 200, status: 'pending' });
          expect(house.upstream.sent).toEqual([]);
        }
      });

      test('is told that order also where v1 refuses it as identical, because the last look of this process was before that order', async () => {
        const house = openWalkHouse({
          ...slowly(0, { kind: 'succeeded', reference: 'V0' }, IDENTICAL),
          parts: { toldSales: () => toldStore() },
        });
        const other = openWalkHouse({ beside: house, ...slowly(0, SUCCESS) });
        ask(house, { amount: '300' });
        await house.clock.advance(200);
        ask(other).hangUp();
        await house.clock.advance(200);
        expect(await sellAt(house)).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
        expect(house.upstream.sent).toHaveLength(2);
      });

      test('is pending where v1 refuses it as identical, and it cannot be read whether that order was told, or whether there is one', async () => {
        const unreadable = { ...toldStore(), read: () => Promise.reject(new Error('too many open files')) };
        for (const [asIs, toldSales, away, http] of [
          [(one: Mapping) => one, unreadable, [], 200],
          [(one: Mapping) => one, toldStore(), ['listUnsettled', 'find'], 200],
          [selling, toldStore(), ['listUnsettled', 'find'], 503],
        ] as const) {
          const house = openWalkHouse({
            answers: [{ outcome: { kind: 'succeeded', reference: 'V0' } }, { outcome: IDENTICAL, afterMs: 50 }],
            parts: { toldSales: () => toldSales },
            mapping: asIs(shippedMapping()),
          });
          const other = openWalkHouse({ beside: house, ...slowly(0, SUCCESS) });
          ask(house, { amount: '300' });
          await house.clock.advance(200);
          ask(other);
          await house.clock.advance(200);
          const refused = sellAt(house);
          house.setAway(away);
          expect(await refused).toMatchObject({ http, status: 'pending' });
          expect(house.upstream.sent).toHaveLength(2);
        }
      });

      test('is pending then under an id by which no question hears of that refusal', async () => {
        const parts = { toldSales: () => toldStore() };
        const house = openWalkHouse({
          answers: [{ outcome: { kind: 'succeeded', reference: 'V0' } }, { outcome: IDENTICAL, afterMs: 50 }],
          parts,
        });
        const other = openWalkHouse({ beside: house, ...slowly(4_000, SUCCESS) });
        ask(house, { amount: '300' });
        await house.clock.advance(200);
        ask(other).hangUp();
        await house.clock.advance(200);
        const refused = ask(house);
        house.setAway(['listUnsettled', 'find']);
        await house.clock.advance(10_000);
        house.setAway([]);
        const { id, 'request-id': requestId } = (await refused.served).reply.body as Record<string, unknown>;
        for (const asked of [id, requestId]) {
          const path = `/api/transaction/${String(asked)}`;
          const question = house.gateway.handle(legacyRequest({ method: 'GET', path, headers: AXIOS }));
          await house.clock.advance(10_000);
          expect((await question).reply.body).toMatchObject({ status: 'pending' });
        }
      });

      test('hears that refusal where the earlier sale was told', async () => {
        const { house, lines, sold } = await afterDeath({}, undefined, IDENTICAL);
        lines.push(toldLine(sold));
        expect(await sellAt(house)).toMatchObject({ status: 'fail', reference: null, repeat: undefined });
      });

      test("finds the order also where the dead process's clock was as far behind as a database allows", async () => {
        const { house } = await afterDeath();
        const sold = async (at: WalkHouse, fields: Fields) => {
          const { served } = ask(at, fields);
          await house.clock.advance(1_500);
          return { ...((await served).reply.body as { reference: string }) };
        };
        const behind = { ...house.clock, now: () => house.clock.now() - 10_000 };
        const dead = openWalkHouse({
          beside: house,
          ...slowly(0, { kind: 'succeeded', reference: 'V3' }),
          parts: { clock: behind },
        });
        await sold(house, { amount: '300' });
        expect(await sold(dead, { amount: '200' })).toMatchObject({ reference: 'V3' });
        expect(await told(house, ask(house, { amount: '200' }))).toMatchObject({ reference: 'V3', repeat: 'joined' });
      });
    },
  );

  test('is another sale once the first was told, or told pending and ended', async () => {
    const house = openWalkHouse(slowly(0, SUCCESS, AGAIN));
    expect(await told(house, ask(house))).toMatchObject({ reference: 'V1' });
    expect(await told(house, ask(house))).toMatchObject({ reference: 'V2', repeat: undefined });
    const slow = openWalkHouse(slowly(9_000, SUCCESS, AGAIN));
    expect(await told(slow, ask(slow))).toMatchObject({ status: 'pending' });
    expect(await told(slow, ask(slow))).toMatchObject({ status: 'pending', repeat: undefined });
    expect(slow.upstream.sent).toHaveLength(2);
  });

  const { owner } = openWalkHouse();
  const callerKeys = new Map([[owner, { ...plainCallerKey(owner), format: 'b', family: 'msorg-python' }]]);

  test('of a script that refunds what is pending is the order that v1 sold after that, also where a changed mapping refuses it', async () => {
    const house = openWalkHouse({ ...slowly(12_000, SUCCESS), mapping: { ...shippedMapping(), callerKeys } });
    expect(await told(house, ask(house))).toMatchObject({ reference: null });
    await house.clock.advance(5_000);
    house.serve({ ...refusing(), callerKeys });
    expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V1' });
    expect(await told(house, ask(house))).toMatchObject({ code: 'invalid_field' });
  });

  test('of a script that refunds what is pending is another sale where the list shows that the first was told since', async () => {
    const lines: string[] = [];
    const parts = { toldSales: () => toldStore(lines) };
    const house = openWalkHouse({ ...slowly(12_000, SUCCESS, AGAIN), mapping: { ...shippedMapping(), callerKeys }, parts });
    expect(await told(house, ask(house))).toMatchObject({ reference: null });
    await house.clock.advance(5_000);
    for await (const sold of house.journal.listOfOwner({ owner, limit: 1, onUnreadable: () => undefined }))
      lines.push(toldLine(sold, 'pending'), toldLine(sold));
    const next = ask(house);
    await house.clock.advance(20_000);
    await told(house, next);
    expect(house.upstream.sent).toHaveLength(2);
  });

  test('of a script that refunds what is pending is the order that v1 sold after that, once', async () => {
    const mapping = { ...shippedMapping(), callerKeys };
    const house = openWalkHouse({ ...slowly(12_000, SUCCESS, AGAIN), mapping });
    expect(await told(house, ask(house))).toMatchObject({ reference: null });
    await house.clock.advance(5_000);
    expect(await told(house, ask(house))).toMatchObject({ reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
    const third = ask(house);
    await house.clock.advance(20_000);
    expect(await told(house, third)).toMatchObject({ repeat: undefined });
    expect(house.upstream.sent).toHaveLength(2);
    // v1 has sold the third one as well after "pending": a process that has begun since finds it in the journal.
    await house.clock.advance(3 * MINUTE);
    const restarted = openWalkHouse({ ...slowly(0, AGAIN), beside: house, mapping });
    expect(await told(restarted, ask(restarted))).toMatchObject({ reference: 'V2', repeat: 'joined' });
    expect(restarted.upstream.sent).toEqual([]);
  });

  test('of a script that refunds what is pending is that order also at a process that has not looked for its key since', async () => {
    const lines: string[] = [];
    const given = { mapping: { ...shippedMapping(), callerKeys }, parts: { toldSales: () => toldStore(lines) } };
    const first = openWalkHouse({ ...slowly(12_000, SUCCESS), ...given });
    const second = openWalkHouse({ ...slowly(0, AGAIN, { kind: 'succeeded', reference: 'V3' }), beside: first, ...given });
    expect(await told(second, ask(second, { amount: '300' }))).toMatchObject({ reference: 'V2' });
    expect(await told(first, ask(first))).toMatchObject({ reference: null });
    const { requestId } = first.upstream.sent[0]!;
    lines.push(toldLine((await first.journal.find(owner, requestId))!, 'pending'));
    await first.clock.advance(5 * MINUTE);
    expect(await told(second, ask(second))).toMatchObject({ reference: 'V1', repeat: 'joined' });
  });

  const keyOfFamily = (family: string) => new Map([[owner, { ...plainCallerKey(owner), format: 'b', family }]]);
  const semmatweb = { ...shippedMapping(), callerKeys: keyOfFamily('semmatweb') };

  test('of a script that sells what is pending is another sale once the first was told pending, at each process', async () => {
    const parts = sharedList();
    const answers = ['V1', 'V4'].map((reference) => ({ outcome: { ...PENDING, reference } }));
    const house = openWalkHouse({ answers, mapping: semmatweb, parts });
    const other = openWalkHouse({ ...slowly(0, AGAIN, THIRD), beside: house, mapping: semmatweb, parts });
    ask(house);
    await house.clock.advance(MINUTE);
    for (const [one, reference] of [
      [other, 'V2'],
      [house, 'V4'],
      [other, 'V3'],
    ] as const) {
      const next = ask(one);
      await house.clock.advance(MINUTE);
      expect(await told(one, next)).toMatchObject({ reference, repeat: undefined });
    }
    expect([house.upstream.sent.length, other.upstream.sent.length]).toEqual([2, 2]);
  });

  test.each([
    ['while another process searches for it', 1_000, [AGAIN]],
    ['while v1 leaves the attempts of the next one without an answer', 0, [UNKNOWN, UNKNOWN, AGAIN]],
  ] as const)(
    'of such a script is another sale also where the first, which it has sold, ends %s',
    async (_title, lookMs, outcomes) => {
      const parts = sharedList();
      const house = openWalkHouse({ answers: [{ outcome: PENDING }], mapping: semmatweb, parts });
      const answers = outcomes.map((outcome) => ({ outcome, afterMs: outcome === UNKNOWN ? 3_000 : 0 }));
      const wrapJournal = (stored: Journal, clock: WalkHouse['clock']): Partial<Journal> => ({
        listUntold: (...of) => pause(clock, lookMs).then(() => stored.listUntold(...of)),
      });
      const other = openWalkHouse({ beside: house, answers, mapping: semmatweb, parts, wrapJournal });
      ask(house);
      await house.clock.advance(MINUTE);
      const next = ask(other);
      await house.clock.advance(500);
      await house.journal.settle(owner, house.upstream.sent[0]!.requestId, SUCCESS, house.clock.now());
      expect(await told(other, next)).toMatchObject({ status: 'success', reference: 'V2', repeat: undefined });
      expect(other.upstream.sent).toHaveLength(outcomes.length);
    },
  );

  test('of such a script joins the order of which it has heard nothing, and is refused as unread while it cannot be read what it has heard', async () => {
    const house = openWalkHouse({ answers: [{ outcome: PENDING }], mapping: semmatweb });
    await hangUpAfter(1_000, house);
    const next = ask(house);
    await house.clock.advance(MINUTE);
    expect(await told(house, next)).toMatchObject({ repeat: 'joined' });
    house.setAway(['find']);
    const unread = ask(house);
    await house.clock.advance(MINUTE);
    expect(await told(house, unread)).toMatchObject(UNREAD);
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('of such a script joins it where the process was to tell "pending" as it died, and no reply is known to have left', async () => {
    const parts = { toldSales: () => toldStore() };
    const house = openWalkHouse({ answers: [{ outcome: PENDING }], mapping: semmatweb, parts });
    const other = openWalkHouse({ ...slowly(0, AGAIN), beside: house, mapping: semmatweb, parts });
    ask(house);
    await house.clock.advance(MINUTE);
    const next = ask(other);
    await house.clock.advance(MINUTE);
    expect(await told(other, next)).toMatchObject({ reference: 'V1', repeat: 'joined' });
    expect(other.upstream.sent).toEqual([]);
  });

  test.each(['semmatweb', 'topupmate-new-b'])(
    'is another sale where its key is that of a script that refunds what is pending only since %s has kept or sold the first',
    async (family) => {
      const mapping = { ...shippedMapping(), callerKeys: keyOfFamily(family) };
      const house = openWalkHouse({ ...slowly(50_000, SUCCESS, AGAIN), mapping });
      ask(house);
      await house.clock.advance(MINUTE);
      house.serve({ ...shippedMapping(), callerKeys });
      const next = ask(house);
      await house.clock.advance(MINUTE);
      expect(await told(house, next)).toMatchObject({ repeat: undefined });
      expect(house.upstream.sent).toHaveLength(2);
    },
  );

  test('is another sale when the first is older than the window, or of other content', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
    const other = openWalkHouse({ beside: house, ...slowly(0, REJECTED, { ...SUCCESS, reference: 'V3' }) });
    ask(house).hangUp();
    await house.clock.advance(6 * MINUTE);
    // The other process finds the order in the journal here.
    await told(other, ask(other, { amount: '300' }));
    await house.clock.advance(5 * MINUTE);
    house.serve(refusing());
    expect(await told(house, ask(house))).toMatchObject({ http: 400, code: 'invalid_field' });
    house.serve(shippedMapping());
    expect(await told(other, ask(other))).toMatchObject({ reference: 'V3', repeat: undefined });
    expect(await told(house, ask(house))).toMatchObject({ reference: 'V2', repeat: undefined });
    ask(house).hangUp();
    expect(await told(house, ask(house, { amount: '101' }))).toMatchObject({ repeat: undefined });
  });

  test('is not another sale because the clock was set forward by an hour', async () => {
    const beside = openWalkHouse();
    let errorMs = 0;
    const clock = { ...beside.clock, now: () => beside.clock.now() + errorMs };
    const house = openWalkHouse({ ...slowly(5_000, SUCCESS, AGAIN), beside, parts: { clock } });
    await hangUpAfter(1_000, house);
    errorMs = 60 * MINUTE;
    await house.clock.advance(6_000);
    expect(await told(house, ask(house))).toMatchObject({ reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test.each([3, 60])(
    'at another process is not another sale because the clock was set forward by %i minutes',
    async (minutes) => {
      const first = openWalkHouse(slowly(5_000, SUCCESS));
      let errorMs = 0;
      const clock = { ...first.clock, now: () => first.clock.now() + errorMs };
      const second = openWalkHouse({ ...slowly(0, AGAIN, AGAIN), beside: first, parts: { clock } });
      // The second process has read the whole window just now, so it reads two minutes from now on.
      await told(second, ask(second, { amount: '300' }));
      await hangUpAfter(1_000, first);
      await first.clock.advance(10_000);
      errorMs = minutes * MINUTE;
      expect(await told(second, ask(second))).toMatchObject({ reference: 'V1', repeat: 'joined' });
    },
  );

  test('finds the order whose script hung up while v1 was asked what the reply shows beside the sale', async () => {
    const find = () => pause(house.clock, 900).then(() => ({ kind: 'unavailable', reason: 'slow' }) as const);
    const house: WalkHouse = openWalkHouse({ answers: [{ outcome: SUCCESS, afterMs: 1_000 }, { outcome: AGAIN }], find });
    await hangUpAfter(1_400, house);
    expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('finds the order whose script hung up just after PostgreSQL had its end and went away', async () => {
    const find = () => pause(house.clock, 900).then(() => ({ kind: 'unavailable', reason: 'slow' }) as const);
    const kept: { journal?: KeepingJournal } = {};
    let isAway = false;
    const whileThere = async <T>(work: () => Promise<T>): Promise<T> => {
      if (isAway) throw new WriteFailure(new Error('PostgreSQL cannot be reached'));
      return work();
    };
    const spool = { append: async () => undefined, clear: async () => undefined };
    const house: WalkHouse = openWalkHouse({
      ...{ answers: [{ outcome: SUCCESS, afterMs: 1_000 }, { outcome: AGAIN }], find },
      wrapJournal: (journal) => {
        const find: Journal['find'] = (...asked) => whileThere(() => journal.find(...asked));
        const tell: Journal['tell'] = (...telling) => whileThere(() => journal.tell(...telling));
        return (kept.journal = keepAnswers({ ...journal, find, tell }, undefined, spool));
      },
    });
    const asked = ask(house);
    await house.clock.advance(1_200);
    isAway = true;
    asked.hangUp();
    await house.clock.advance(4 * MINUTE);
    isAway = false;
    await kept.journal?.writeKept();
    expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('finds the order whose script hung up while the outcome was on its way to the disk', async () => {
    const house = openWalkHouse({
      ...slowly(5_000, SUCCESS, AGAIN),
      wrapJournal: (journal, clock) =>
        keepAnswers({
          ...journal,
          tell: async (...telling) => {
            await pause(clock, 3_000);
            await journal.tell(...telling);
          },
        }),
    });
    await hangUpAfter(4_900, house);
    await house.clock.advance(200);
    expect(await told(house, ask(house))).toMatchObject({ reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('finds an order that another process opened, or this one before its restart', async () => {
    const before = openWalkHouse(slowly(30_000, SUCCESS));
    ask(before, { 'request-id': 'r-1' }).hangUp();
    await before.clock.advance(20_000);
    const after = openWalkHouse({ ...slowly(0, SUCCESS), beside: before });
    expect(await told(after, ask(after))).toMatchObject({ status: 'success', repeat: 'joined' });
    expect(after.upstream.sent.map(({ requestId }) => requestId)).toEqual(['r-1']);
  });

  test('finds it also behind more open orders of the key than are read at once', async () => {
    const before = openWalkHouse(slowly(30_000, SUCCESS));
    const openedAtMs = before.clock.now();
    for (let index = 0; index < 600; index += 1)
      await before.journal.open(
        newOrder({ owner: before.owner, requestId: `open-${index}`, contentHash: `${index}`, openedAtMs: openedAtMs + index }),
      );
    await before.clock.advance(1_000);
    const after = openWalkHouse({ ...slowly(0, SUCCESS, AGAIN), beside: before });
    // Both processes have searched by then. So many orders are read in more turns than the clock waits for.
    for (const house of [before, after]) {
      const first = ask(house, { amount: '300' });
      await new Promise(setImmediate);
      await told(house, first);
    }
    ask(before, { 'request-id': 'r-1' }).hangUp();
    await before.clock.advance(20_000);
    expect(await told(after, ask(after))).toMatchObject({ status: 'success', repeat: 'joined' });
    expect(after.upstream.sent.at(-1)?.requestId).toBe('r-1');
  });

  describe('among more orders than a process remembers', () => {
    const MANY = 22_000;
    const openSales = () => {
      const clock = createVirtualClock();
      const journal = createMemoryJournal();
      const pursuits = createPursuits(clock);
      const repeats = createRepeats({ journal, clock, steadiness: createSteadiness(clock), pursuits, mapping: shippedMapping });
      const sell = async (newSale: NewOrder, isRefundedPending = false): Promise<string> => {
        const kind = { isOfPins: false, isRefundedPending, isWithoutIdOf: () => false };
        const how = { ...kind, leftMs: () => 1_000, line: openLine().line };
        const { order, repeatKind, end } = await repeats.takeTurn(newSale, undefined, 10 * MINUTE, how);
        await journal.open(order);
        await journal.settle(order.owner, order.requestId, { ...SUCCESS, reference: order.requestId }, clock.now());
        end(true);
        return `${order.requestId} ${repeatKind}`;
      };
      const sale = (requestId: string, content: string, owner = newOrder().owner): NewOrder =>
        newOrder({ owner, requestId, contentHash: content, wordsHash: content, openedAtMs: clock.now() });
      /** Sells what the script hears to be pending. */
      const sellPending = async (requestId: string): Promise<void> => {
        const pending = sale(requestId, 'its content');
        await sell(pending, true);
        await journal.tell(pending.owner, requestId, TOLD_PENDING);
        repeats.noteTold((await journal.find(pending.owner, requestId))!, 'pending', 10 * MINUTE);
      };
      return { clock, journal, sell, sale, sellPending };
    };

    /** A sale of an earlier process, of which nobody has heard, and which this process finds in the journal three minutes later. */
    const loseSale = async () => {
      const sales = openSales();
      const lost = sales.sale('lost', 'its content');
      await sales.journal.open(lost);
      await sales.journal.settle(lost.owner, 'lost', SUCCESS, sales.clock.now());
      await sales.journal.tell(lost.owner, 'lost', NOT_TOLD);
      await sales.clock.advance(3 * MINUTE);
      await sales.sell(sales.sale('next', 'another content'));
      return sales;
    };

    test('finds it also between two looks into the journal', async () => {
      const { clock, sell, sale } = await loseSale();
      for (let nth = 0; nth < MANY; nth += 1) await sell(sale(`o${nth}`, `content ${nth}`, 'other'));
      await clock.advance(20_000);
      expect(await sell(sale('again', 'its content'))).toBe('lost joined');
    });

    test.each([newOrder().owner, 'other'])('finds it also where they are all open, of key %s', async (owner) => {
      const { clock, journal, sell, sale } = await loseSale();
      for (let nth = 0; nth < MANY; nth += 1) {
        await journal.open({ ...sale(`open ${nth}`, `content ${nth}`, owner), openedAtMs: clock.now() + nth });
      }
      await clock.advance(MANY);
      const next = sell(sale('next', 'a third content', owner));
      await clock.advance(1);
      await next;
      const again = sell(sale('again', 'its content'));
      await clock.advance(1_000);
      expect(await again).toBe('lost joined');
    });

    test('finds it also where more orders of the same content are open than one content may have', async () => {
      const { clock, journal, sell, sale } = await loseSale();
      for (let nth = 0; nth < 600; nth += 1)
        await journal.open({ ...sale(`open ${nth}`, 'its content'), openedAtMs: clock.now() + nth });
      await clock.advance(2_000);
      const next = sell(sale('next', 'a third content'));
      await clock.advance(20_000);
      await next;
      const again = sell(sale('again', 'its content'));
      await clock.advance(1_000);
      expect(await again).toBe('lost joined');
    });

    test('of a script that refunds what is pending finds the order that v1 sold after that', async () => {
      const { sell, sale, sellPending } = openSales();
      await sellPending('pending');
      for (let nth = 0; nth < MANY; nth += 1) await sell(sale(`o${nth}`, `content ${nth}`, 'other'));
      expect(await sell(sale('again', 'its content'), true)).toBe('pending joined');
    });

    test('of a script that refunds what is pending finds it also where most are open, behind newer ones that are known', async () => {
      const { clock, journal, sell, sale, sellPending } = openSales();
      const sellLater = async (newSale: NewOrder, isRefundedPending?: boolean): Promise<string> => {
        const selling = sell(newSale, isRefundedPending);
        await clock.advance(2_000);
        return selling;
      };
      await sellPending('pending');
      for (let nth = 0; nth < MANY; nth += 1) await sell(sale(`o${nth}`, `content ${nth}`, 'other'));
      for (let nth = 0; nth < MANY; nth += 1)
        await journal.open({ ...sale(`open ${nth}`, `content ${nth}`, 'third'), openedAtMs: clock.now() + nth });
      await clock.advance(MANY);
      await sellLater(sale('next', 'another content', 'third'));
      await sellLater(sale('first', 'a first content'));
      for (let nth = 0; nth < 600; nth += 1) await sell(sale(`s${nth}`, `content ${nth}`));
      expect(await sellLater(sale('again', 'its content'), true)).toBe('pending joined');
    });
  });

  test('searches that are due at once share the look that begins after they came', async () => {
    const clock = createVirtualClock();
    let looks = 0;
    const listUnsettled = async (): Promise<Order[]> => {
      looks += 1;
      await pause(clock, 300);
      return [];
    };
    const journal = { ...createMemoryJournal(), listUnsettled };
    const look = createLook({ journal, clock, steadiness: createSteadiness(clock) }, createKnownOrders(clock));
    const all = [look('owner', MINUTE)];
    await clock.advance(100);
    for (let nth = 0; nth < 20; nth += 1) all.push(look('owner', MINUTE, { isDue: true }));
    await clock.advance(800);
    await Promise.all(all);
    expect(looks).toBe(2);
  });

  test('a look remembers the newest sales of other processes last, so that a full table forgets the oldest', async () => {
    const clock = createVirtualClock();
    const journal = createMemoryJournal();
    for (const requestId of ['first', 'second', 'third']) {
      const sale = newOrder({ requestId, contentHash: requestId, openedAtMs: clock.now() });
      await journal.open(sale);
      await journal.settle(sale.owner, requestId, { ...SUCCESS, reference: requestId }, clock.now());
      await clock.advance(10);
    }
    const remembered: string[] = [];
    const nothing = (): void => undefined;
    const release = (): (() => void) => nothing;
    const contents = (add: Contents['add']): Contents => ({
      of: () => [],
      keep: nothing,
      add,
      addUnheard: nothing,
      hold: release,
    });
    const [own, others] = [contents((_content, { requestId }) => remembered.push(requestId)), contents(nothing)];
    const look = createLook(
      { journal, clock, steadiness: createSteadiness(clock), toldSales: () => toldStore() },
      { ...createKnownOrders(clock), contents: own, wordings: others, headers: others },
    );
    await look(newOrder().owner, MINUTE);
    expect(remembered).toEqual(['first', 'second', 'third']);
  });

  test.each([1_000, 200])('a look %d ms after one with a clock that was ahead finds what that one left out', async (afterMs) => {
    const clock = createVirtualClock();
    const journal = createMemoryJournal();
    const sale = newOrder({ requestId: 'lost', openedAtMs: clock.now() });
    await journal.open(sale);
    await clock.advance(3 * MINUTE);
    let errorMs = 1_440 * MINUTE;
    const wrong = { ...clock, now: () => clock.now() + errorMs };
    const known = createKnownOrders(wrong);
    const look = createLook({ journal, clock: wrong, steadiness: createSteadiness(wrong) }, known);
    await look(sale.owner, 10 * MINUTE);
    errorMs = 0;
    await clock.advance(afterMs);
    await look(sale.owner, 10 * MINUTE);
    expect(known.contents.of(keyOf(sale.owner, sale.contentHash))).toMatchObject([{ requestId: 'lost' }]);
  });

  test('what another process sold is found also behind more newer sales of its key than are read at once', async () => {
    const clock = createVirtualClock();
    const journal = createMemoryJournal();
    const sale = newOrder({ requestId: 'sold', openedAtMs: clock.now() });
    const newer = (nth: number) => newOrder({ requestId: `newer-${nth}`, contentHash: `${nth}`, openedAtMs: clock.now() + nth });
    for (const order of [sale, ...Array.from({ length: 2_000 }, (_, nth) => newer(nth + 1))]) {
      await journal.open(order);
      await journal.settle(order.owner, order.requestId, SUCCESS, order.openedAtMs);
    }
    await clock.advance(2_000);
    const known = createKnownOrders(clock);
    const look = createLook({ journal, clock, steadiness: createSteadiness(clock), toldSales: () => toldStore() }, known);
    await look(sale.owner, 10 * MINUTE);
    expect(known.contents.of(keyOf(sale.owner, sale.contentHash))).toMatchObject([{ requestId: 'sold' }]);
  });

  test('what another process sold just now is found also where the clock was days ahead before, for more orders than are read at once', async () => {
    const clock = createVirtualClock();
    const journal = createMemoryJournal();
    const sale = newOrder({ requestId: 'sold', openedAtMs: clock.now() });
    const ahead = (nth: number) => ({
      requestId: `ahead-${nth}`,
      contentHash: 'other',
      openedAtMs: clock.now() + 5_760 * MINUTE,
    });
    for (const order of [...Array.from({ length: 10_001 }, (_, nth) => newOrder(ahead(nth))), sale]) {
      await journal.open(order);
      await journal.settle(order.owner, order.requestId, SUCCESS, order.openedAtMs);
    }
    const known = createKnownOrders(clock);
    const look = createLook({ journal, clock, steadiness: createSteadiness(clock), toldSales: () => toldStore() }, known);
    await look(sale.owner, 10 * MINUTE);
    expect(known.contents.of(keyOf(sale.owner, sale.contentHash))).toMatchObject([{ requestId: 'sold' }]);
  });

  test("joins an order in this process's memory also while the journal's open orders cannot be read", async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
    await hangUpAfter(3_000, house);
    house.setAway(['listUnsettled']);
    expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test.each([false, true])(
    'is looked for again once the journal is back, before anything is sent (X-Request-Id of a proxy: %s)',
    async (isProxied) => {
      const header = (id: string): Fields => (isProxied ? { 'x-request-id': id } : {});
      const parts = sharedList();
      const first = openWalkHouse({ ...slowly(0, SUCCESS), parts });
      ask(first, {}, header('a')).hangUp();
      await first.clock.advance(20_000);
      const other = openWalkHouse({ ...slowly(0, AGAIN), beside: first, parts, away: JOURNAL_AWAY });
      const repeat = ask(other, {}, header('b'));
      await other.clock.advance(700);
      other.setAway([]);
      expect(await told(other, repeat)).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
      expect(other.upstream.sent).toEqual([]);
    },
  );

  test('is refused, not sold, while it cannot be read whether another process has the order', async () => {
    const before = openWalkHouse(slowly(2 * MINUTE, SUCCESS));
    ask(before, { 'request-id': 'r-1' }).hangUp();
    await before.clock.advance(20_000);
    const after = openWalkHouse({ ...slowly(0, SUCCESS), beside: before, away: ['listUnsettled', 'listUntold', 'listOfOwner'] });
    const both = [ask(after), ask(after)];
    await after.clock.advance(500);
    both.push(ask(after));
    await after.clock.advance(8_000);
    for (const script of both) expect(await told(after, script)).toMatchObject(UNREAD);
    expect(after.upstream.sent).toEqual([]);
    // The script waits, and the journal is back after a second.
    const waits = ask(after);
    await after.clock.advance(1_000);
    after.setAway([]);
    expect(await told(after, waits)).toMatchObject({ status: 'success', repeat: 'joined' });
    expect(after.upstream.sent.map(({ requestId }) => requestId)).toEqual(['r-1']);
  });

  test.each([
    ['that is open', 60_000, {}],
    ['whose end no script has heard', 6_000, {}],
    ['that another process has just sold', 0, { toldSales: () => toldStore() }],
    ['that a process sold which has died since', 0, {}],
  ] as const)(
    'is refused, not sold, while it may be that of an order %s and that this build cannot read',
    async (_which, tookMs, parts) => {
      const newer = openWalkHouse({ ...slowly(tookMs, SUCCESS), parts });
      await hangUpAfter(5_000, newer, { 'request-id': 'r-1' });
      await newer.clock.advance(10_000);
      const readable = (orders: readonly Order[], { onUnreadable }: Pick<ListOptions, 'onUnreadable'>): Order[] =>
        orders.flatMap((order) => readOrReport(() => readByOlder(order), onUnreadable) ?? []);
      const wrapJournal = (stored: Journal): Partial<Journal> => ({
        listUnsettled: async (of) => readable(await stored.listUnsettled(of), of),
        listUntold: async (of) => readable(await stored.listUntold(of), of),
        async *listOfOwner(of) {
          for await (const order of stored.listOfOwner(of)) yield* readable([order], of);
        },
      });
      const older = openWalkHouse({ ...slowly(0, AGAIN), beside: newer, parts, wrapJournal });
      expect(await told(older, ask(older))).toMatchObject(UNREAD);
      expect(older.upstream.sent).toEqual([]);
      // The record stays as it is. No request is taken for the repeat of an order of so long ago.
      await older.clock.advance(10 * MINUTE);
      expect(await told(older, ask(older))).toMatchObject({ status: 'success', reference: 'V2' });
    },
  );

  test("joins it also where the family's sales with ids are told once", async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
    const callerKeys = new Map([[house.owner, { ...plainCallerKey(house.owner), format: 'a', family: 'forbill-ai' }]]);
    house.serve({ ...shippedMapping(), callerKeys });
    await hangUpAfter(3_000, house);
    expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('is told how the order at v1 stands, and is not sold in the sandbox, where its key was sent there in between', async () => {
    for (const [waitedMs, heard, sale, next] of [
      [1_000, { status: 'pending' }, {}, {}],
      [20_000, { status: 'success', reference: 'V1' }, {}, {}],
      [20_000, { status: 'success', reference: 'V1' }, { 'request-id': 'r-1' }, { 'request-id': 'r-2' }],
    ] as const) {
      const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
      ask(house, sale).hangUp();
      await house.clock.advance(waitedMs);
      const callerKeys = new Map([[house.owner, { ...plainCallerKey(house.owner), isSandboxed: true }]]);
      house.serve({ ...shippedMapping(), callerKeys });
      expect(await told(house, ask(house, sale))).toMatchObject(heard);
      expect(house.upstream.sent).toHaveLength(1);
      expect(await told(house, ask(house, next))).toMatchObject({ status: 'success', reference: 'V2' });
    }
  });

  test('of an order in the sandbox is not told the sale at v1 under the header of that order, which another process has told', async () => {
    const house = openWalkHouse(slowly(100, SUCCESS));
    const callerKeys = new Map([[house.owner, { ...plainCallerKey(house.owner), isSandboxed: true }]]);
    const other = openWalkHouse({ ...slowly(100, UNKNOWN, AGAIN), beside: house, mapping: { ...shippedMapping(), callerKeys } });
    const [first, next] = [{ 'x-request-id': 'first' }, { 'x-request-id': 'next' }];
    ask(other, {}, first).hangUp();
    await house.clock.advance(10_000);
    expect(await told(house, ask(house, {}, first))).toMatchObject({ status: 'success', reference: 'V1' });
    expect(await told(other, ask(other, {}, next))).not.toMatchObject({ reference: 'V1' });
  });

  test('of PINs is told once where a neighbour marks the order of a dead process while this one reads the PINs', async () => {
    const parts = sharedList();
    const dead = openWalkHouse({ ...slowly(0, SUCCESS), find: receiptOfPins });
    let house: WalkHouse = dead;
    const slowReceipt = (call: V1Call): Promise<Finding> => pause(house.clock, 2_000).then(() => receiptOfPins(call));
    house = openWalkHouse({ ...slowly(0, AGAIN), find: slowReceipt, beside: dead, parts });
    const own = { 'idempotency-key': 'k-1' };
    void askForPins(dead, own);
    await house.clock.advance(30_000);
    const again = askForPins(house, own);
    await house.clock.advance(500);
    await house.journal.tell(house.owner, 'k-1', NOT_TOLD);
    await house.clock.advance(5_000);
    expect(await pinOf(again)).toBe('pin of V1');
    again.end(true);
    await house.clock.advance(10_000);
    const other = openWalkHouse({ ...slowly(0, AGAIN), find: receiptOfPins, beside: dead, parts });
    expect(await pinToldNow(other)).toBe('pin of V2');
  });

  interface FirstOfPins {
    readonly soldAfterMs: number;
    /** A neighbour marks what the dead process has told nobody. */
    readonly marksAfterMs?: number;
    /** The process gives a sign of life. */
    readonly livesAfterMs?: number;
    readonly isTold?: boolean;
  }

  /** What a script hears of PINs that another process begins to sell: at the same instant, or half a second before. */
  async function secondOfPins(first: FirstOfPins, agoMs: number, answer: Outcome): Promise<unknown> {
    const { soldAfterMs, marksAfterMs, livesAfterMs = Infinity, isTold = false } = first;
    const lines: string[] = [];
    const parts = { toldSales: () => toldStore(lines), onTold: (order: Order) => void (isTold && lines.push(toldLine(order))) };
    const other = openWalkHouse({ ...slowly(soldAfterMs, SUCCESS), find: receiptOfPins, parts });
    const { clock, journal } = other;
    const livesAt = clock.elapsed() + livesAfterMs;
    const haveAllSigned = (sinceMs: number): boolean => clock.elapsed() >= livesAt && livesAt >= sinceMs;
    const house = openWalkHouse({
      ...slowly(100, answer),
      find: receiptOfPins,
      beside: other,
      parts: { ...parts, haveAllSigned },
    });
    const askOther = (): void => askForPins(other).end(true);
    if (agoMs > 0) askOther();
    await clock.advance(agoMs);
    const again = askForPins(house);
    if (agoMs === 0) askOther();
    if (marksAfterMs !== undefined)
      void pause(clock, marksAfterMs).then(() => journal.tell(house.owner, other.upstream.sent[0]!.requestId, NOT_TOLD));
    await clock.advance(15_000);
    const { status } = (await again.served).reply.body as { status: string };
    return (await pinOf(again)) ?? status;
  }

  test.each([
    ['is pending where another process has died with the first since', { soldAfterMs: 60_000, marksAfterMs: 3_000 }, 'pending'],
    ['is told those that another process had sold before it died', { soldAfterMs: 1_000, marksAfterMs: 3_000 }, 'pin of V1'],
    ['is pending where its death does not show in time', { soldAfterMs: 1_000 }, 'pending'],
    ['hears that refusal once the process of the first lives', { soldAfterMs: 60_000, livesAfterMs: 3_000 }, 'fail'],
    ['hears that refusal where another customer was told the first', { soldAfterMs: 0, isTold: true }, 'fail'],
  ] as const)('of PINs that v1 refuses as identical %s', async (_title, first: FirstOfPins, heard) => {
    expect(await secondOfPins(first, 0, IDENTICAL)).toBe(heard);
  });

  test.each([
    ['is pending where another process may have died with the first', { soldAfterMs: 60_000 }, 'pending'],
    ['is told those that another process had sold before it died', { soldAfterMs: 1_000, marksAfterMs: 2_000 }, 'pin of V1'],
    ['is another sale once the process of the first lives', { soldAfterMs: 60_000, livesAfterMs: 3_000 }, 'pin of V2'],
    ['is another sale where another customer was told the first', { soldAfterMs: 100, isTold: true }, 'pin of V2'],
  ] as const)('of PINs that v1 would sell again %s', async (_title, first: FirstOfPins, heard) => {
    expect(await secondOfPins(first, 500, AGAIN)).toBe(heard);
  });

  test('is the same sale where another process has told its end while this one searched', async () => {
    const shared = sharedList();
    const house = openWalkHouse({ ...slowly(5_000, SUCCESS), parts: shared });
    const wrapJournal = (stored: Journal, clock: WalkHouse['clock']): Partial<Journal> => ({
      listUntold: (...of) => pause(clock, 1_000).then(() => stored.listUntold(...of)),
    });
    const other = openWalkHouse({ ...slowly(0, AGAIN), beside: house, parts: shared, wrapJournal });
    await hangUpAfter(1_000, house);
    await house.clock.advance(20_000);
    const script = ask(other);
    await house.clock.advance(100);
    expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V1' });
    expect(await told(other, script)).toMatchObject({ status: 'success', reference: 'V1' });
    expect(other.upstream.sent).toEqual([]);
  });

  test('of a refused order is not sent where its script has hung up before that is written, for it may have asked and heard of the refusal', async () => {
    const wrapJournal = (stored: Journal, clock: WalkHouse['clock']): Partial<Journal> => ({
      open: (...order) => pause(clock, 500).then(() => stored.open(...order)),
    });
    const house = openWalkHouse({ ...slowly(100, REJECTED, SUCCESS), wrapJournal });
    const sale = { 'request-id': 'r-1' };
    expect(await told(house, ask(house, sale))).toMatchObject({ status: 'fail' });
    await hangUpAfter(200, house, sale);
    await house.clock.advance(10_000);
    expect(house.upstream.sent).toHaveLength(1);
    expect(await told(house, ask(house, sale))).toMatchObject({ status: 'success' });
  });

  test('of an order that was refused untold is no failure where another process sends that order again just then, and this one writes nothing', async () => {
    const parts = { toldSales: () => toldStore() };
    const house = openWalkHouse({ ...slowly(500, REJECTED, SUCCESS), parts });
    const other = openWalkHouse({ beside: house, away: ['open'], parts });
    await hangUpAfter(200, house);
    await house.clock.advance(20_000);
    const refused = ask(other);
    await house.clock.advance(50);
    ask(house);
    expect(await told(other, refused)).toMatchObject({ status: 'success', reference: 'V1' });
  });

  test('is no failure where another process sells its twin at v1 just then, and this one, which sells in the sandbox, writes nothing', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS));
    const callerKeys = new Map([[house.owner, { ...plainCallerKey(house.owner), isSandboxed: true }]]);
    const parts = { toldSales: () => toldStore() };
    const other = openWalkHouse({ beside: house, away: ['open'], mapping: { ...shippedMapping(), callerKeys }, parts });
    const sale = { 'request-id': 'r-1' };
    const refused = ask(other, sale);
    await settlePromises();
    ask(house, sale);
    expect(await told(other, refused)).toMatchObject({ status: 'pending' });
  });

  test('is pending, and nothing is sent, while the journal does not show whether it repeats an order', async () => {
    const house = openWalkHouse({ ...slowly(5_000, SUCCESS, AGAIN) });
    await hangUpAfter(1_000, house);
    await house.clock.advance(20_000);
    house.setAway(JOURNAL_AWAY);
    expect(await told(house, ask(house))).toMatchObject({ http: 200, status: 'pending', reference: null });
    // A sale that another process may have sold is refused as unread, and so is its repeat.
    for (let nth = 0; nth < 2; nth += 1) expect(await told(house, ask(house, { amount: '300' }))).toMatchObject(UNREAD);
    house.setAway([]);
    expect(await told(house, ask(house))).toMatchObject({ status: 'success', reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('is pending, and nothing is sent, where a standby of the database took over without the order that this process remembers', async () => {
    const [lost, base] = [new Set<string>(), shippedMapping()];
    const wrapJournal = (stored: Journal): Partial<Journal> => ({
      find: async (owner, id) => (lost.has(id) ? undefined : stored.find(owner, id)),
      open: async (order) => {
        const opened = await stored.open(order);
        lost.add(opened.order.requestId);
        return opened;
      },
    });
    for (const [hungUpAfterMs, mapping] of [
      [1_000, base],
      [1_000, refusing()],
      [20_000, base],
    ] as const) {
      lost.clear();
      const house = openWalkHouse({ ...slowly(5_000, SUCCESS, AGAIN), wrapJournal });
      await hangUpAfter(hungUpAfterMs, house);
      await house.clock.advance(20_000);
      house.serve(mapping);
      const isHeard = hungUpAfterMs === 20_000;
      expect((await told(house, ask(house))).status).toBe(isHeard ? 'success' : 'pending');
      expect(house.upstream.sent).toHaveLength(isHeard ? 2 : 1);
    }
  });

  test('is pending too where its order was seen, and then the journal can be neither written nor read', async () => {
    const house = openWalkHouse({
      ...slowly(5_000, SUCCESS, AGAIN),
      wrapJournal: (journal) => ({
        open: async (order) => {
          if (house.upstream.sent.length > 0) house.setAway(['open', 'find']);
          return journal.open(order);
        },
      }),
    });
    await hangUpAfter(1_000, house);
    await house.clock.advance(20_000);
    expect(await told(house, ask(house))).toMatchObject({ http: 200, status: 'pending', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('of an order that was rejected untold buys under its id', async () => {
    const house = openWalkHouse(slowly(2_000, REJECTED, SUCCESS));
    await hangUpAfter(1_000, house);
    expect(await told(house, ask(house))).toMatchObject({ status: 'fail', repeat: 'joined' });
    expect(await told(house, ask(house))).toMatchObject({ status: 'success', repeat: undefined });
    expect(new Set(house.upstream.sent.map(({ requestId }) => requestId)).size).toBe(2);
  });
});

describe('ids', () => {
  test('of a sale find it also for a GET with the same fields, as a redirect makes of its repeat; another amount is refused', async () => {
    const house = openWalkHouse(slowly(0, SUCCESS));
    const sale = { ...AIRTIME, 'request-id': 'r-1' };
    expect(await told(house, ask(house, sale))).toMatchObject({ status: 'success' });
    const get = async (query: Fields): Promise<Served> => {
      const request = legacyRequest({ method: 'GET', path: '/api/topup/', query, headers: AXIOS });
      const served = house.gateway.handle(request, openLine().line);
      await house.clock.advance(10_000);
      return served;
    };
    expect((await get(sale)).reply).toMatchObject({ status: 200, body: { status: 'success', reference: 'V1' } });
    expect((await get({ ...sale, amount: '200' })).refusal).toMatchObject({ code: 'wrong_method' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('of their own that differ are two intents, however alike', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
    ask(house, { ref: 'a' }).hangUp();
    await house.clock.advance(100);
    expect(await told(house, ask(house, { ref: 'b' }))).toMatchObject({ reference: 'V2', repeat: undefined });
  });

  test('in a header alone tell nothing of their order to a request whose fields were lost on the way', async () => {
    const house = openWalkHouse(slowly(100, SUCCESS));
    const sent = { 'x-request-id': 'trace-7' };
    expect(await told(house, ask(house, {}, sent))).toMatchObject({ status: 'success' });
    const empty = await house.gateway.handle(legacyRequest({ body: {}, headers: { ...AXIOS, sent } }));
    expect(empty.reply).toMatchObject({ status: 400, body: { status: 'fail' } });
  });

  // GemData: 20 s of its own, then the same sale without the field, under the same header (facts 9.1).
  test('in a header find the order whose own id the repeat has left out', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
    const header = { 'x-request-id': 'trace-7' };
    await hangUpAfter(1_000, house, { 'request-id': 'r-1' }, header);
    const second = ask(house, {}, header);
    expect(await told(house, second)).toMatchObject({ reference: 'V1', repeat: 'joined' });
    // Also when its reply was on the way as the script gave up.
    expect(await told(house, ask(house, {}, header))).toMatchObject({ reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test.each(['trace-7', 'r-1'])('in the header %s find it also where the mapping refuses the repeat now', async (id) => {
    for (const [waitedMs, heard] of [
      [1_000, { status: 'pending' }],
      [20_000, { status: 'success', reference: 'V1' }],
    ] as const) {
      const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
      const header = { 'x-request-id': id };
      await hangUpAfter(500, house, { 'request-id': 'r-1' }, header);
      await house.clock.advance(waitedMs);
      house.serve(refusing());
      expect(await told(house, ask(house, {}, header))).toMatchObject({ http: 200, ...heard, code: undefined });
      const refused = { http: 400, status: 'fail', code: 'invalid_field' };
      expect(await told(house, ask(house, { amount: '99' }, header))).toMatchObject(refused);
      expect(await told(house, ask(house, {}, { 'x-request-id': 'trace-8' }))).toMatchObject(refused);
    }
  });

  test('in a header find it also where the mapping that read it is lost, and the one in use refuses the repeat', async () => {
    const house = openWalkHouse({ ...slowly(100, SUCCESS), parts: { setOf: () => undefined } });
    const header = { 'x-request-id': 'r-1' };
    await hangUpAfter(50, house, { 'request-id': 'r-1' }, header);
    await house.clock.advance(20_000);
    house.serve(refusing());
    expect(await told(house, ask(house, {}, header))).toMatchObject({ http: 200, status: 'success', reference: 'V1' });
  });

  test.each(['trace-7', 'r-1'])(
    'in the header %s find it also where the mapping reads another content in the repeat now',
    async (id) => {
      for (const waitedMs of [1_000, 20_000]) {
        const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
        const header = { 'x-request-id': id };
        await hangUpAfter(500, house, { 'request-id': 'r-1' }, header);
        await house.clock.advance(waitedMs);
        house.serve(withoutPorted());
        expect(await told(house, ask(house, {}, header))).toMatchObject({ http: 200, code: undefined });
        expect(house.upstream.sent).toHaveLength(1);
        expect(await told(house, ask(house, { amount: '99' }, { 'x-request-id': 'trace-7' }))).toMatchObject({ reference: 'V2' });
      }
    },
  );

  test('in a header find it also where the mapping reads another content while the journal cannot be read', async () => {
    const house = openWalkHouse(slowly(100, SUCCESS, AGAIN));
    const header = { 'x-request-id': 'trace-7' };
    ask(house, { 'request-id': 'r-1' }, header).hangUp();
    await house.clock.advance(1_000);
    house.setAway(['find']);
    house.serve(withoutPorted());
    expect(await told(house, ask(house, {}, header))).toMatchObject({ reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('in a header find it also while the journal cannot be read, and are no failure while it cannot be written', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
    const header = { 'x-request-id': 'trace-7' };
    ask(house, { 'request-id': 'r-1' }, header).hangUp();
    await house.clock.advance(20_000);
    house.setAway(['open', 'find', 'listUnsettled']);
    expect(await told(house, ask(house, {}, header))).toMatchObject({ status: 'pending' });
    house.setAway(['find', 'listUnsettled']);
    expect(await told(house, ask(house, {}, header))).toMatchObject({ reference: 'V1', repeat: 'joined' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('in a header alone are no failure while the journal is away, also of a script that sells what is pending', async () => {
    const house = openWalkHouse({ ...slowly(0, SUCCESS), mapping: selling(shippedMapping()) });
    const header = { 'x-request-id': 'trace-7' };
    ask(house, {}, header).hangUp();
    await house.clock.advance(1_000);
    house.setAway(JOURNAL_AWAY);
    expect(await told(house, ask(house, {}, header))).toMatchObject({ status: 'pending' });
  });

  test('in a header find the sold one of two orders under it, where the other was told as pending and never sent', async () => {
    const header = { 'x-request-id': 'trace-7' };
    const house = openWalkHouse(slowly(100, SUCCESS, AGAIN));
    ask(house, { 'request-id': 'r-1' }, header).hangUp();
    await house.clock.advance(20_000);
    // As it is written when the journal is back, in which the first order could not be read.
    const [first] = await house.journal.listUntold({ owner: house.owner, fromMs: 0, limit: 1 });
    const doubt = { ...first!, requestId: 'trace-7', echo: {}, openedAtMs: house.clock.now() };
    const { order } = await house.journal.open(doubt);
    await house.journal.settle(house.owner, 'trace-7', { kind: 'not_sent', reason: 'away' }, house.clock.now(), order.attempts);
    expect(await told(house, ask(house, {}, header))).toMatchObject({ status: 'success', reference: 'V1' });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test.each([['trace-7'], ['trace-7', 'r-1'], []])(
    'in a header find the sold one of two orders that were opened under it at once, one with an id of its own (unread: %j, %j)',
    async (...unread) => {
      const [away, header] = [new Set<string>(), { 'x-request-id': 'trace-7' }];
      const find =
        (journal: Journal): Journal['find'] =>
        (owner, id) =>
          away.has(id) ? Promise.reject(new Error('unread')) : journal.find(owner, id);
      const wrapJournal = (journal: Journal): Journal => ({ ...journal, find: find(journal) });
      const house = openWalkHouse({ ...slowly(100, REJECTED, AGAIN), wrapJournal });
      const other = openWalkHouse({ ...slowly(100, SUCCESS), beside: house });
      const late = ask(other, {}, header);
      await settlePromises();
      const first = ask(house, { 'request-id': 'r-1' }, header);
      await house.clock.advance(50);
      for (const { hangUp } of [late, first]) hangUp();
      await house.clock.advance(20_000);
      for (const id of unread) away.add(id);
      const heard = unread.length > 0 ? { status: 'pending' } : { status: 'success', reference: 'V1' };
      expect(await told(house, ask(house, {}, header))).toMatchObject(heard);
      expect(house.upstream.sent).toHaveLength(1);
    },
  );

  test('in Idempotency-Key that differ are two orders', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
    ask(house, {}, { 'idempotency-key': 'k-1' }).hangUp();
    await house.clock.advance(100);
    expect(await told(house, ask(house, {}, { 'idempotency-key': 'k-2' }))).toMatchObject({ reference: 'V2' });
    ask(house, { ref: 'r-9' }, { 'idempotency-key': 'k-3' }).hangUp();
    expect(await told(house, ask(house, {}, { 'idempotency-key': 'k-4' }))).toMatchObject({ repeat: undefined });
  });

  test.each([{}, { ref: 'r-9' }])(
    'in X-Request-Id are one order after a hang-up, whatever a proxy wrote there (%j)',
    async (id) => {
      const house = openWalkHouse(slowly(5_000, SUCCESS, AGAIN));
      await hangUpAfter(3_000, house, id, { 'x-request-id': 'trace-1' });
      const joined = { reference: 'V1', repeat: 'joined' };
      expect(await told(house, ask(house, {}, { 'x-request-id': 'trace-2' }))).toMatchObject(joined);
      expect(house.upstream.sent).toHaveLength(1);
      expect(await told(house, ask(house, {}, { 'x-request-id': 'trace-3' }))).toMatchObject({ reference: 'V2' });
    },
  );

  test('in a header that the mapping of that time did not read find the order of the same words, until its outcome was told', async () => {
    for (const fields of [{}, { ref: 'r-1' }]) {
      const house = openWalkHouse({ ...slowly(5_000, SUCCESS, AGAIN), mapping: withoutKeyHeader() });
      const header = { 'idempotency-key': 'k-1' };
      ask(house, fields, header).hangUp();
      await house.clock.advance(1_000);
      house.serve(shippedMapping());
      expect(await told(house, ask(house, {}, header))).toMatchObject({ reference: 'V1', repeat: 'joined' });
      expect(house.upstream.sent).toHaveLength(1);
      expect(await told(house, ask(house, {}, { 'idempotency-key': 'k-2' }))).toMatchObject({ reference: 'V2' });
    }
  });

  test('in such a header find it again where their repeat has sent the order, at this process and another', async () => {
    for (const isElsewhere of [false, true]) {
      const house = openWalkHouse({ ...slowly(500, REJECTED, SUCCESS, AGAIN), mapping: withoutKeyHeader() });
      const other = openWalkHouse({ ...slowly(0, AGAIN), beside: house });
      const header = { 'idempotency-key': 'k-1' };
      ask(house, {}, header).hangUp();
      await house.clock.advance(1_000);
      house.serve(shippedMapping());
      await hangUpAfter(100, house, {}, header);
      await house.clock.advance(30_000);
      const again = ask(isElsewhere ? other : house, {}, header);
      expect(await told(house, again)).toMatchObject({ status: 'success', reference: 'V1' });
      expect([house.upstream.sent.length, other.upstream.sent.length]).toEqual([2, 0]);
    }
  });

  test('in a header alone are the order’s id: the same one again is its replay', async () => {
    const house = openWalkHouse(slowly(0, SUCCESS, AGAIN));
    const header = { 'idempotency-key': 'k-1' };
    expect(await told(house, ask(house, {}, header))).toMatchObject({ reference: 'V1' });
    expect(await told(house, ask(house, {}, header))).toMatchObject({ reference: 'V1', repeat: 'replayed' });
    expect(house.upstream.sent.map(({ requestId }) => requestId)).toEqual(['k-1']);
  });
});

describe('a success', () => {
  const id = { 'request-id': 'AIRTIME_08030000001_100' };

  // forbill-ai makes its ids of phone and amount: every repeat sale has the first's (facts 9.1).
  test('is told again for ten minutes; days later its id is used, and nothing is sold or charged', async () => {
    const house = openWalkHouse(slowly(0, SUCCESS, AGAIN));
    expect(await told(house, ask(house, id))).toMatchObject({ reference: 'V1', repeat: undefined });
    await house.clock.advance(9 * MINUTE);
    expect(await told(house, ask(house, id))).toMatchObject({ reference: 'V1', repeat: 'replayed' });
    await house.clock.advance(3 * 24 * 60 * MINUTE);
    const late = await told(house, ask(house, id));
    expect(late).toEqual({ http: 400, status: 'fail', reference: null, code: 'request_id_used', repeat: undefined });
    expect(house.upstream.sent).toHaveLength(1);
  });

  test('whose id is used does not count as an order that could not be written, while the journal cannot be written', async () => {
    const house = openWalkHouse(slowly(0, SUCCESS, AGAIN));
    await told(house, ask(house, id));
    await house.clock.advance(3 * 24 * 60 * MINUTE);
    house.setAway(['open']);
    expect(await told(house, ask(house, id))).toMatchObject({ http: 400, code: 'request_id_used' });
  });

  test('that is told once is told to the repeat where its process died before telling it, and not to the next sale of what was told', async () => {
    const mapping = { ...shippedMapping(), replayMs: 0 };
    for (const [parts, heard] of [
      [{ toldSales: () => toldStore() }, { reference: 'V1', repeat: 'replayed' }],
      [sharedList(), { code: 'request_id_used' }],
    ] as const) {
      const house = openWalkHouse({ ...slowly(0, SUCCESS), mapping, parts });
      const other = openWalkHouse({ beside: house, mapping, parts });
      await told(house, ask(house, id));
      expect(await told(other, ask(other, id))).toMatchObject(heard);
      expect(other.upstream.sent).toEqual([]);
    }
  });

  test.each([
    ['is pending', (mapping: Mapping) => mapping, { status: 'pending' }],
    ['is refused as unread for a script that sells what is pending', selling, UNREAD],
  ])('that is told once %s while it cannot be read whether another process has told it', async (_title, of, heard) => {
    const toldSales = (): ToldStore => ({ ...toldStore(), read: () => Promise.reject(new Error('connection reset')) });
    const mapping = of({ ...shippedMapping(), replayMs: 0 });
    const house = openWalkHouse({ ...slowly(0, SUCCESS), mapping, parts: { toldSales } });
    await told(house, ask(house, id));
    expect(await told(house, ask(house, id))).toMatchObject(heard);
    // The same where the journal takes no order, and where the mapping refuses the request.
    house.setAway(['open']);
    expect(await told(house, ask(house, id))).toMatchObject(heard);
    house.serve(of({ ...refusing(), replayMs: 0 }));
    expect(await told(house, ask(house, id))).toMatchObject(heard);
  });

  test('is told, however late, to the script that hung up before it, and for ten minutes from then', async () => {
    const house = openWalkHouse(slowly(5_000, SUCCESS));
    await hangUpAfter(1_000, house, id);
    await house.clock.advance(24 * 60 * MINUTE);
    expect(await told(house, ask(house, id))).toMatchObject({ reference: 'V1', repeat: 'replayed' });
    await house.clock.advance(9 * MINUTE);
    expect(await told(house, ask(house, id))).toMatchObject({ reference: 'V1', repeat: 'replayed' });
    await house.clock.advance(2 * MINUTE);
    expect(await told(house, ask(house, id))).toMatchObject({ code: 'request_id_used' });
  });

  test('is told, however late, to the script that was told pending, also by another process', async () => {
    const house = openWalkHouse(slowly(9_000, SUCCESS));
    expect(await told(house, ask(house, id))).toMatchObject({ status: 'pending' });
    await house.clock.advance(24 * 60 * MINUTE);
    const other = openWalkHouse({ beside: house });
    expect(await told(other, ask(other, id))).toMatchObject({ reference: 'V1', repeat: 'replayed' });
    await house.clock.advance(11 * MINUTE);
    expect(await told(house, ask(house, id))).toMatchObject({ code: 'request_id_used' });
  });

  test('that a status query was told is told to repeats for ten minutes from then', async () => {
    const house = openWalkHouse(slowly(9_000, SUCCESS));
    expect(await told(house, ask(house, id))).toMatchObject({ status: 'pending' });
    await house.clock.advance(60 * MINUTE);
    const path = `/api/transaction/${id['request-id']}`;
    // v1 shows no receipt, and is asked more than once.
    const question = async () => {
      const answered = house.gateway.handle(legacyRequest({ method: 'GET', path, headers: AXIOS }));
      await house.clock.advance(2_000);
      return answered;
    };
    const status = await question();
    expect(status.reply.body).toMatchObject({ status: 'success', reference: 'V1' });
    await house.clock.advance(9 * MINUTE);
    expect(await told(house, ask(house, id))).toMatchObject({ reference: 'V1' });
    await house.clock.advance(2 * MINUTE);
    expect(await told(house, ask(house, id))).toMatchObject({ code: 'request_id_used' });
    // A status query is answered for ever.
    const late = await question();
    expect(late.reply.body).toMatchObject({ status: 'success', reference: 'V1' });
  });

  test('that was told at once costs the journal no further write', async () => {
    const writes: string[] = [];
    const house = openWalkHouse({
      ...slowly(0, SUCCESS),
      wrapJournal: (journal) => ({
        settle: (...settled) => (writes.push('settle'), journal.settle(...settled)),
        tell: (...told) => (writes.push('tell'), journal.tell(...told)),
      }),
    });
    expect(await told(house, ask(house, id))).toMatchObject({ status: 'success' });
    await settlePromises();
    expect(writes).toEqual(['settle']);
  });
});

test('an order whose outcome stays unknown is joined and asked about, and never sold a second time', async () => {
  const house = openWalkHouse({ answers: [{ outcome: UNKNOWN }] });
  expect(await told(house, ask(house))).toMatchObject({ status: 'pending' });
  await house.clock.advance(MINUTE);
  expect(await told(house, ask(house))).toMatchObject({ status: 'pending', repeat: 'joined' });
  expect(new Set(house.upstream.sent.map(({ requestId }) => requestId)).size).toBe(1);
});
