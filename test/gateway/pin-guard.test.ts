import { Secret, type Credentials } from '../../src/domain/credentials';
import type { Outcome } from '../../src/domain/outcome';
import { createKeyring } from '../../src/gateway/keyring';
import { createPinGuard } from '../../src/gateway/pin-guard';
import { createVirtualClock } from '../domain/virtual-clock';

const keyring = createKeyring(new Secret('a'.repeat(64)));
const owner = (key: string, pin?: string): Credentials => ({
  apiKey: new Secret(key),
  fingerprint: keyring.fingerprint(new Secret(key)),
  ...(pin === undefined ? {} : { pin: new Secret(pin) }),
});
const WRONG: Outcome = { kind: 'rejected', httpStatus: 400, message: 'Invalid transaction PIN' };
const refusal = expect.objectContaining({ code: 'wrong_pin' });

test('a PIN that v1 called wrong twice is not tried a third time, which would lock the account', () => {
  const guard = createPinGuard(createVirtualClock(), keyring);
  guard.check(owner('K', '9999'));
  guard.note(owner('K', '9999'), WRONG);
  guard.check(owner('K', '9999'));
  guard.note(owner('K', '9999'), WRONG);
  expect(() => guard.check(owner('K', '9999'))).toThrow(refusal);
});

test('another PIN and another key are not held back, nor is a key without a PIN', () => {
  const guard = createPinGuard(createVirtualClock(), keyring);
  for (let time = 0; time < 2; time += 1) guard.note(owner('K', '9999'), WRONG);
  for (const other of [owner('K', '1234'), owner('L', '9999'), owner('K')]) expect(() => guard.check(other)).not.toThrow();
});

test('the PIN may be tried again when the lock would have passed, or once v1 took it', async () => {
  const clock = createVirtualClock();
  const guard = createPinGuard(clock, keyring);
  for (let time = 0; time < 2; time += 1) guard.note(owner('K', '9999'), WRONG);
  await clock.advance(10 * 60_000);
  expect(() => guard.check(owner('K', '9999'))).not.toThrow();
  guard.note(owner('K', '9999'), WRONG);
  guard.note(owner('K', '9999'), { kind: 'succeeded' });
  guard.note(owner('K', '9999'), WRONG);
  expect(() => guard.check(owner('K', '9999'))).not.toThrow();
});

test.each<[Outcome]>([
  [{ kind: 'rejected', httpStatus: 402, message: 'Insufficient balance' }],
  [{ kind: 'rejected', httpStatus: 400, message: 'Invalid phone number' }],
  [{ kind: 'unknown', reason: 'HTTP 500' }],
  [{ kind: 'not_sent', reason: 'ECONNREFUSED' }],
])('%j says nothing of the PIN', (outcome) => {
  const guard = createPinGuard(createVirtualClock(), keyring);
  for (let time = 0; time < 5; time += 1) guard.note(owner('K', '9999'), outcome);
  expect(() => guard.check(owner('K', '9999'))).not.toThrow();
});

test('its refusal repeats neither key nor PIN', () => {
  const guard = createPinGuard(createVirtualClock(), keyring);
  for (let time = 0; time < 2; time += 1) guard.note(owner('K3Y', '99871'), WRONG);
  expect(() => guard.check(owner('K3Y', '99871'))).toThrow(
    expect.objectContaining({ detail: expect.not.stringMatching(/99871|K3Y/) }),
  );
});

test('its refusal is what v1 said of this PIN, with v1’s status, and that it is not tried again', () => {
  const guard = createPinGuard(createVirtualClock(), keyring);
  guard.note(owner('K', '9999'), { ...WRONG, message: 'Invalid PIN!' });
  guard.note(owner('K', '8888'), { ...WRONG, message: 'Invalid transaction PIN.' });
  expect(() => guard.check(owner('K', '9999'))).toThrow(
    expect.objectContaining({
      status: 400,
      detail: expect.stringMatching(/^Invalid PIN! Correct .* not tried again for 10 minutes.*Nothing was charged\.$/),
    }),
  );
  expect(() => guard.check(owner('K', '8888'))).toThrow(
    expect.objectContaining({ detail: expect.stringMatching(/^Invalid transaction PIN\. Correct /) }),
  );
});

test('a PIN that v1 takes while another try with it was called wrong is forgotten at once, the other PINs of the key are not', () => {
  const guard = createPinGuard(createVirtualClock(), keyring);
  for (const pin of ['9999', '8888']) guard.note(owner('K', pin), WRONG);
  guard.note(owner('K', '9999'), { kind: 'declined' });
  guard.note(owner('K', '8888'), WRONG);
  expect(() => guard.check(owner('K', '9999'))).not.toThrow();
  expect(() => guard.check(owner('K', '8888'))).toThrow(refusal);
});

test('two different PINs that were wrong are two wrong ones of the key: neither is tried again, a third may be the right one', () => {
  const guard = createPinGuard(createVirtualClock(), keyring);
  guard.note(owner('K', '9999'), WRONG);
  guard.note(owner('K', '8888'), WRONG);
  for (const pin of ['9999', '8888']) expect(() => guard.check(owner('K', pin))).toThrow(refusal);
  expect(() => guard.check(owner('K', '1234'))).not.toThrow();
});

test('the right PIN is never refused, whatever wrong ones come in between', () => {
  const guard = createPinGuard(createVirtualClock(), keyring);
  for (let round = 0; round < 5; round += 1) {
    guard.note(owner('K', '9999'), WRONG);
    expect(() => guard.check(owner('K', '1234'))).not.toThrow();
    guard.note(owner('K', '1234'), { kind: 'succeeded' });
  }
  expect(() => guard.check(owner('K', '9999'))).toThrow(refusal);
});

test('a clock that is set back holds nobody longer than the lock', async () => {
  const clock = createVirtualClock();
  let wall = clock.now();
  const guard = createPinGuard({ ...clock, now: () => wall }, keyring);
  for (let time = 0; time < 2; time += 1) guard.note(owner('K', '9999'), WRONG);
  wall -= 86_400_000;
  await clock.advance(10 * 60_000);
  expect(() => guard.check(owner('K', '9999'))).not.toThrow();
});
