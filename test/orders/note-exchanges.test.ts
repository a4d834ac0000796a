import { Secret } from '../../src/domain/credentials';
import { createKeyring } from '../../src/gateway/read/keyring';
import { noteExchanges } from '../../src/orders/note-exchanges';
import type { KeyedNote } from '../../src/orders/notes-store';
import type { Answered } from '../../src/upstream/listen-to-answers';

const answered: Answered = {
  call: { method: 'POST', path: '/electricity' },
  context: {
    credentials: { apiKey: new Secret('sandbox_demo'), fingerprint: 'a'.repeat(32) },
    clientAddress: '127.0.0.1',
    timeoutMs: 1_000,
  },
  startedAt: 5,
};

test('notes mask a token that v1 repeats in its message', () => {
  const notes: KeyedNote[] = [];
  const keyring = createKeyring(new Secret('s'.repeat(32)));
  const listener = noteExchanges({ clock: { now: () => 1_000, elapsed: () => 15 }, keyring, add: (note) => notes.push(note) });
  listener.sent({ outcome: { kind: 'unknown', reason: 'HTTP 500' }, isDuplicate: false }, 'e1', answered);
  const delivery = { token: '4567-1234-8899-0011' };
  const message = 'Paid. Your token is 4567 1234 8899 0011.';
  listener.sent({ outcome: { kind: 'succeeded', reference: 'V1-9', message, delivery }, isDuplicate: true }, 'e1', answered);
  expect(notes.map(({ note }) => note)).toMatchObject([
    { answer: 'unknown', message: 'HTTP 500' },
    { answer: 'succeeded', message: 'Paid. Your token is ***.', isDuplicate: true },
  ]);
});
