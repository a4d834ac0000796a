/** What an answer proves beside what else is known. `test/flows/strange-v1.test.ts` plays such answers over a socket. */
import type { JsonObject } from '../../../src/domain/json';
import type { Order } from '../../../src/domain/order';
import type { Outcome, Unknown } from '../../../src/domain/outcome';
import { type Evidence, judgeAnswer, type Judging } from '../../../src/gateway/order/judge-answer';
import { newOrder } from '../../journal/new-order';

const ORDER: Order = { ...newOrder(), number: 1, attempts: 1 };
const SOLD: Outcome = { kind: 'succeeded', reference: 'V1' };
const REFUSED: Outcome = { kind: 'rejected', httpStatus: 400, message: 'No.' };
const LOST: Unknown = { kind: 'unknown', reason: 'HTTP 500' };
const DOUBTED: Partial<Outcome> = { kind: 'unknown', isDoubted: true };
/** The receipt of this order, and of one that was sold long before it. */
const SAME: Evidence = { identity: 'same', outcome: SOLD, isExact: true };
/** The receipt of a sale to the same number at about the same price. */
const NEAR: Evidence = { ...SAME, isExact: false };
const OLD: Evidence = { ...SAME, isOldSale: true };

function judge(outcome: Outcome, body: JsonObject, evidence: Evidence, more: Partial<Judging> = {}): Promise<Outcome> {
  const journal = { findByReference: async () => undefined };
  return judgeAnswer(
    { outcome, body, isDuplicate: body['duplicate'] === true },
    { order: ORDER, before: undefined, identify: async () => evidence, journal, onTrouble: () => undefined, ...more },
  );
}

test.each<[string, JsonObject, Evidence, Partial<Outcome>]>([
  ['names nothing', { status: 'error' }, { identity: 'unread' }, REFUSED],
  ['names a reference that v1 does not have', { reference: 'V1' }, { identity: 'none' }, REFUSED],
  ['names a reference of another sale', { reference: 'V1' }, { identity: 'other' }, REFUSED],
  ['names this order', { reference: 'V1' }, SAME, SOLD],
  ['names an order by a number, whose receipt cannot be read', { reference: 981 }, { identity: 'unread' }, DOUBTED],
  ['names an old sale under this id', { reference: 'V1', duplicate: true }, OLD, REFUSED],
  ['names a sale of about this price', { reference: 'V1' }, NEAR, DOUBTED],
  [
    'names this order, whose receipt does not tell its end',
    { reference: 'V1' },
    { ...SAME, outcome: undefined },
    { kind: 'pending' },
  ],
  ['names an order whose receipt cannot be read', { reference: 'V1' }, { identity: 'unread' }, DOUBTED],
  ['names an order that may be this one', { reference: 'V1' }, { identity: 'unclear' }, DOUBTED],
  ['says that its order is sold', { data: { status: 'success' } }, { identity: 'unread' }, DOUBTED],
  ['says that its order is under way', { data: { status: 'Processing' } }, { identity: 'unread' }, DOUBTED],
  ['says duplicate', { duplicate: true }, { identity: 'none' }, DOUBTED],
  ['says duplicate, of no order', { duplicate: true, reference: 'V1' }, { identity: 'none' }, { kind: 'unknown' }],
  ['is said of a request that is not', { success: false, duplicate: false, pending: 0 }, { identity: 'none' }, REFUSED],
])('a refusal that %s', async (_title, body, evidence, expected) => {
  expect(await judge(REFUSED, body, evidence)).toMatchObject(expected);
});

test.each<[string, Partial<Outcome>, number?]>([
  ['A request with this request_id is being processed.', DOUBTED],
  ['Transaction in progress, please wait.', DOUBTED],
  ['The request id has already been taken.', DOUBTED],
  ['Transaction Ref Already Exist', DOUBTED],
  ['Duplicate request_id', DOUBTED],
  ['Conflict', DOUBTED, 409],
  ['Duplicate request detected', { kind: 'rejected' }],
  ['Duplicate request detected', { kind: 'rejected' }, 409],
  ['Daily transaction limit already reached.', { kind: 'rejected' }],
  ['Too many requests are being processed.', { kind: 'rejected' }, 429],
])('a refusal in the words %j is %j', async (message, expected, httpStatus = 400) => {
  expect(await judge({ kind: 'rejected', httpStatus, message }, { message }, { identity: 'none' })).toMatchObject(expected);
});

test.each<[Outcome | undefined, boolean | undefined]>([
  [undefined, true],
  [LOST, undefined],
  [{ ...LOST, isDoubted: true }, true],
])('after %j a refusal of a request that v1 is working on is in doubt: %j', async (before, isDoubted) => {
  const refusal: Outcome = { kind: 'rejected', httpStatus: 429, message: 'Another transaction is in progress. Please wait.' };
  const told = await judge(refusal, { message: refusal.message! }, { identity: 'none' }, { before });
  expect(told).toEqual({
    kind: 'unknown',
    reason: 'v1 refuses and speaks of an order that it has',
    ...(isDoubted && { isDoubted }),
  });
});

test.each<[JsonObject, Partial<Outcome>]>([
  [{ success: false, refunded: true }, { kind: 'declined' }],
  [{ success: true }, { kind: 'pending', reference: 'V1' }],
  [{ pending: true }, { kind: 'pending', reference: 'V1' }],
  [{ data: { status: 'success' } }, { kind: 'pending', reference: 'V1' }],
  [{ data: { status: 'processing' } }, { kind: 'pending', reference: 'V1' }],
])('a decline that says %j is told as %j', async (body, expected) => {
  expect(await judge({ kind: 'declined', reference: 'V1' }, body, { identity: 'unread' })).toMatchObject(expected);
});

test('a decline without a reference that says the opposite is in doubt', async () => {
  expect(await judge({ kind: 'declined' }, { success: true }, { identity: 'unread' })).toMatchObject(DOUBTED);
  expect(await judge({ kind: 'declined' }, {}, { identity: 'unread' })).toMatchObject({ kind: 'declined' });
});

test.each<[string, JsonObject, string]>([
  ['nothing else', {}, 'succeeded'],
  ['the status of its order', { data: { status: 'success' } }, 'succeeded'],
  ['another status of its order', { data: { status: 'queued' } }, 'pending'],
  ['success: false', { success: false }, 'pending'],
  ['success: 0', { success: 0 }, 'pending'],
  ['that its order is no success, in text', { data: { success: 'false' } }, 'pending'],
  ['refunded: 1', { refunded: 1 }, 'pending'],
  ['pending: 1', { pending: 1 }, 'pending'],
  ['that its order is pending, in text', { data: { pending: 'true' } }, 'pending'],
  ['pending: 0', { pending: 0, data: { pending: '0' } }, 'succeeded'],
])('a success that says %s is %s', async (_title, body, kind) => {
  expect(await judge(SOLD, body, { identity: 'unread' })).toMatchObject({ kind, reference: 'V1' });
});

test.each<[Outcome | undefined, Evidence, Partial<Outcome>]>([
  [undefined, SAME, SOLD],
  [undefined, { identity: 'same', outcome: { kind: 'declined', reference: 'V1' } }, { kind: 'declined' }],
  // Its receipt has a status that is none of the specification, or is that of a refund.
  [undefined, { ...SAME, outcome: undefined }, { kind: 'pending', reference: 'V1' }],
  // The script has used the id elsewhere, for another plan or amount.
  [undefined, NEAR, DOUBTED],
  [REFUSED, NEAR, DOUBTED],
  [{ ...LOST, isDoubted: true }, NEAR, DOUBTED],
  [{ ...LOST, isDoubted: true }, SAME, SOLD],
  [undefined, { ...NEAR, outcome: { kind: 'pending', reference: 'V1' } }, DOUBTED],
  [undefined, { ...NEAR, isOldSale: true }, { kind: 'rejected', httpStatus: 400 }],
  [LOST, NEAR, SOLD],
  [LOST, { identity: 'same' }, { kind: 'pending', reference: 'V1' }],
  [undefined, { identity: 'unclear', outcome: SOLD }, DOUBTED],
  [undefined, OLD, { kind: 'rejected', httpStatus: 400 }],
  [REFUSED, OLD, { kind: 'rejected', httpStatus: 400 }],
  [LOST, OLD, DOUBTED],
  [LOST, { ...SAME, isOldSale: false }, SOLD],
  [undefined, { ...OLD, outcome: { kind: 'pending', reference: 'V1' } }, { kind: 'pending' }],
  [LOST, { identity: 'unclear', outcome: { kind: 'pending', reference: 'V1' } }, { kind: 'pending' }],
  [LOST, { identity: 'none' }, { kind: 'unknown' }],
  [{ ...LOST, isDoubted: true }, { identity: 'unclear', outcome: SOLD }, DOUBTED],
])('after %j an order that v1 had already, %j, is %j', async (before, evidence, expected) => {
  expect(await judge(SOLD, { duplicate: true }, evidence, { before })).toMatchObject(expected);
});

test('a token that only the receipt has is kept although the answer says that there is none', async () => {
  const found: Outcome = { kind: 'succeeded', reference: 'V1', delivery: { token: null } };
  const outcome: Outcome = { kind: 'succeeded', reference: 'V1', delivery: { token: '1234-5678' } };
  expect(await judge(found, { duplicate: true }, { identity: 'same', outcome }, { before: LOST })).toEqual(outcome);
});

test('an order that is written while the receipt is read keeps its reference', async () => {
  let owning: Order | undefined;
  const told = await judge(SOLD, { duplicate: true }, SAME, {
    identify: async () => {
      owning = { ...ORDER, requestId: 'r2' };
      return SAME;
    },
    journal: { findByReference: async () => owning },
  });
  expect(told).toEqual({ kind: 'unknown', reason: 'v1 answered about another order' });
});

test('a reference that was known before is not asked about again', async () => {
  const identify = () => Promise.reject(new Error('asked'));
  expect(
    await judge(SOLD, { duplicate: true }, { identity: 'other' }, { before: { kind: 'pending', reference: 'V1' }, identify }),
  ).toBe(SOLD);
});

test.each<[string, Outcome, JsonObject, Evidence, Outcome | undefined, Partial<Outcome>]>([
  ['a success', SOLD, {}, { identity: 'unread' }, undefined, { kind: 'unknown', reason: 'the journal cannot be read' }],
  ['a success of a repeat', SOLD, { duplicate: true }, SAME, undefined, { isDoubted: true }],
  ['what was in doubt already', SOLD, { duplicate: true }, { identity: 'unread' }, LOST, { kind: 'unknown' }],
  ['a refusal that names an order', REFUSED, { reference: 'V1' }, { identity: 'none' }, undefined, { kind: 'unknown' }],
])('%s is open while the owner of its reference cannot be read', async (_title, outcome, body, evidence, before, expected) => {
  const troubles: string[] = [];
  const journal = { findByReference: () => Promise.reject(new Error('the disk')) };
  const told = await judge(outcome, body, evidence, { before, journal, onTrouble: (what) => troubles.push(what) });
  expect(told).toMatchObject({ kind: 'unknown', ...expected });
  expect(troubles).toEqual(['find']);
});

test.each<[string, JsonObject, Outcome | undefined, Evidence, Outcome['kind']]>([
  ['is told', {}, undefined, SAME, 'succeeded'],
  ['is told where its first answer was lost', { duplicate: true }, LOST, SAME, 'succeeded'],
  ['is not told by a sale of long ago', {}, undefined, OLD, 'unknown'],
  ['is not told by the record of another', {}, undefined, { identity: 'other', outcome: SOLD }, 'unknown'],
])("while the journal is away a sale that v1's own record shows %s", async (_title, body, before, evidence, kind) => {
  const journal = { findByReference: () => Promise.reject(new Error('the database is away')) };
  expect(await judge(SOLD, body, evidence, { before, journal })).toMatchObject({ kind });
});

test('an order that v1 was expected to have is still expected after a time in which the journal could not be read', async () => {
  const journal = { findByReference: () => Promise.reject(new Error('the database is away')) };
  const evidence: Evidence = { identity: 'unclear', outcome: SOLD };
  const before = await judge(SOLD, { duplicate: true }, evidence, { before: LOST, journal });
  expect(before).toEqual({ kind: 'unknown', reason: 'the journal cannot be read' });
  expect(await judge(SOLD, { duplicate: true }, evidence, { before })).toEqual(SOLD);
});
