/** Notes while a process stops, and the masking of refusals. */
import { Secret } from '../../src/domain/credentials';
import { GatewayError } from '../../src/domain/errors';
import { createKeyring } from '../../src/gateway/read/keyring';
import { createNotes } from '../../src/orders/notes';
import { openNotesStore } from '../../src/orders/notes-store';
import { createFieldSeal } from '../../src/journal/record';
import { createVirtualClock, settlePromises } from '../domain/virtual-clock';
import { shippedMapping } from '../mapping/mapping-set';
import { newFolder } from '../new-folder';

function setUp() {
  const clock = createVirtualClock();
  const troubles: unknown[] = [];
  const notes = createNotes({
    store: openNotesStore({ dir: newFolder(), seal: createFieldSeal(undefined) }),
    mapping: shippedMapping,
    keyring: createKeyring(new Secret('a'.repeat(64))),
    clock,
    onTrouble: (error) => troubles.push(error),
  });
  return { clock, notes, troubles };
}

test('a note that arrives after the stop, for example of a call to v1 that the stop cuts off, causes no error', async () => {
  const { clock, notes, troubles } = setUp();
  const refuse = (): void => {
    const error = new GatewayError('journal_unavailable');
    notes.refusedAtDoor({ address: '192.0.2.1', refusal: { error, headers: {} } });
  };
  refuse();
  await clock.advance(1_000);
  await notes.stop();
  refuse();
  await clock.advance(2_000);
  await settlePromises();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(troubles).toEqual([]);
});

test('the note of a refused request masks a key that the refusal or the request id repeats', async () => {
  const { clock, notes } = setUp();
  const key = 'shop_live_k3yk3yk3y';
  notes.refusedAtDoor({
    address: '192.0.2.1',
    refusal: {
      error: new GatewayError('repeated_field', `The field "${key}:4321" is given twice.`),
      headers: { authorization: `Token ${key}:4321`, sent: { 'x-request-id': key } },
    },
  });
  await clock.advance(1_000);
  const store = await notes.store;
  const written = () => [...store.refused({ fromMs: 0, untilMs: clock.now() + 1 })];
  // The note is written to a real disk, for which the virtual clock does not wait.
  for (let tries = 0; tries < 200 && written().length === 0; tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  const [note] = written();
  expect(note).toMatchObject({
    code: 'repeated_field',
    told: 'The field ":value::value" is given twice.',
    requestId: ':value',
  });
  expect(JSON.stringify(note)).not.toMatch(/k3y|4321/);
  await notes.stop();
});
