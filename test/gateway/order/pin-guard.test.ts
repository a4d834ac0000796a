import type { Clock } from '../../../src/domain/clock';
import { ERRORS } from '../../../src/domain/errors';
import type { Outcome } from '../../../src/domain/outcome';
import { createPinGuard, type WrongPin } from '../../../src/gateway/order/pin-guard';
import { createVirtualClock } from '../../domain/virtual-clock';
import { keyring, owner } from './pin-owner';

const WRONG: Outcome = { kind: 'rejected', httpStatus: 400, message: 'Invalid transaction PIN' };
const RIGHT: Outcome = { kind: 'succeeded' };
const MINUTE_MS = 60_000;

function openGuard(clock: Clock = createVirtualClock()) {
  const told: WrongPin[] = [];
  const guard = createPinGuard(clock, keyring, (wrong) => void told.push(wrong));
  return {
    told,
    note: (pin: string, outcome: Outcome, key = 'K') =>
      guard.note({ credentials: owner(key, pin), clientAddress: '192.0.2.1' }, outcome),
    codeOf: (pin?: string, key = 'K') => guard.refusalOf(owner(key, pin))?.code,
    textOf: (pin: string, key = 'K') => guard.refusalOf(owner(key, pin))?.detail,
  };
}

test('a PIN that v1 called wrong is not tried again, so that another one may be', () => {
  const { note, codeOf } = openGuard();
  note('9999', WRONG);
  expect([codeOf('9999'), codeOf('1234'), codeOf()]).toEqual(['wrong_pin', undefined, undefined]);
});

test('after two wrong PINs no new one is tried, for this key alone', () => {
  const { note, codeOf } = openGuard();
  note('9999', WRONG);
  note('8888', WRONG);
  expect([codeOf('9999'), codeOf('8888'), codeOf('1234')]).toEqual(['wrong_pin', 'wrong_pin', 'pin_held']);
  expect([codeOf(), codeOf('9999', 'L'), codeOf('1234', 'L')]).toEqual([undefined, undefined, undefined]);
});

test('without a PIN that v1 accepted, the refusals end when the lock of v1 would have', async () => {
  const clock = createVirtualClock();
  const { note, codeOf, textOf } = openGuard(clock);
  note('9999', WRONG);
  await clock.advance(4 * MINUTE_MS);
  note('8888', WRONG);
  expect(textOf('1234')).toMatch(/Nothing was charged\. If this PIN is right, send the order again in 6 minutes\.$/);
  await clock.advance(6 * MINUTE_MS);
  expect([codeOf('9999'), codeOf('8888'), codeOf('1234')]).toEqual([undefined, 'wrong_pin', undefined]);
});

test('the PIN that v1 accepted last is never refused, whatever wrong ones come in between', () => {
  const { note, codeOf } = openGuard();
  note('1234', RIGHT);
  for (const pin of ['9999', '8888', '7777', '6666']) {
    note(pin, WRONG);
    expect(codeOf('1234')).toBeUndefined();
  }
  expect(codeOf('5555')).toBe('pin_held');
});

test('while a key has a PIN that v1 accepted, wrong ones count until it is accepted again, for an hour at most', async () => {
  const clock = createVirtualClock();
  const { note, codeOf, textOf } = openGuard(clock);
  note('1234', RIGHT);
  await clock.advance(1);
  note('9999', WRONG);
  note('8888', WRONG);
  await clock.advance(30 * MINUTE_MS);
  // v1 may count both until a right PIN comes: a third would lock a shop that sells seldom.
  expect(codeOf('7777')).toBe('pin_held');
  expect(textOf('7777')).toMatch(
    /The PIN that sold last goes on selling\. .* in 30 minutes\. If these PINs were not yours, somebody else/,
  );
  note('1234', RIGHT);
  expect([codeOf('7777'), codeOf('9999')]).toEqual([undefined, undefined]);
  await clock.advance(1);
  note('9999', WRONG);
  note('8888', WRONG);
  await clock.advance(60 * MINUTE_MS);
  expect(codeOf('7777')).toBeUndefined();
});

test('a right PIN does not undo wrong ones within the time of the lock', () => {
  const { note, codeOf } = openGuard();
  note('9999', WRONG);
  note('8888', WRONG);
  note('1234', RIGHT);
  expect([codeOf('7777'), codeOf('9999')]).toEqual(['pin_held', 'wrong_pin']);
});

test('a PIN that v1 accepted and then called wrong was changed: the new one is tried', () => {
  const { note, codeOf } = openGuard();
  note('1234', RIGHT);
  note('1234', WRONG);
  expect([codeOf('1234'), codeOf('4321')]).toEqual(['wrong_pin', undefined]);
  note('4321', RIGHT);
  expect([codeOf('1234'), codeOf('4321')]).toEqual(['wrong_pin', undefined]);
});

test('a PIN that v1 accepts while another attempt with it was called wrong is wrong no longer', () => {
  const { note, codeOf } = openGuard();
  for (const pin of ['9999', '8888']) note(pin, WRONG);
  note('9999', { kind: 'declined' });
  expect([codeOf('9999'), codeOf('8888')]).toEqual([undefined, 'wrong_pin']);
});

test.each<[Outcome]>([
  [{ kind: 'rejected', httpStatus: 402, message: 'Insufficient balance' }],
  [{ kind: 'rejected', httpStatus: 400, message: 'Invalid phone number' }],
  [{ kind: 'unknown', reason: 'HTTP 500' }],
  [{ kind: 'not_sent', reason: 'ECONNREFUSED' }],
])('%j proves nothing about the PIN', (outcome) => {
  const { note, codeOf, told } = openGuard();
  for (let time = 0; time < 5; time += 1) note('9999', outcome);
  expect([codeOf('9999'), codeOf('8888'), told]).toEqual([undefined, undefined, []]);
});

test('each wrong PIN is reported to watchers, with its address and the count', () => {
  const { note, told } = openGuard();
  note('9999', WRONG);
  note('8888', WRONG);
  const { fingerprint } = owner('K');
  expect(told).toEqual([1, 2].map((count) => ({ fingerprint, address: '192.0.2.1', count })));
});

test('the refusals repeat neither key nor PIN', () => {
  const { note, textOf } = openGuard();
  note('99871', WRONG, 'K3Y');
  note('88871', WRONG, 'K3Y');
  for (const pin of ['99871', '88871', '77771']) expect(textOf(pin, 'K3Y')).not.toMatch(/\d{5}|K3Y/);
});

test('a wrong PIN is told as v1 told it, with v1’s status, and that it is not tried again', () => {
  const { note, textOf } = openGuard();
  note('9999', { ...WRONG, message: 'Invalid PIN!' });
  note('8888', { ...WRONG, message: 'Invalid transaction PIN.' });
  expect(ERRORS.wrong_pin.status).toBe(400);
  expect(textOf('9999')).toMatch(/^Invalid PIN! Correct .* not tried again for 10 minutes.*Nothing was charged\.$/);
  expect(textOf('8888')).toMatch(/^Invalid transaction PIN\. Correct /);
});

test('a clock that is set back holds no key off longer than the lock', async () => {
  const clock = createVirtualClock();
  let wall = clock.now();
  const { note, codeOf } = openGuard({ ...clock, now: () => wall });
  note('9999', WRONG);
  wall -= 86_400_000;
  await clock.advance(10 * MINUTE_MS);
  expect(codeOf('9999')).toBeUndefined();
});
