import { Secret } from '../../../src/domain/credentials';
import { createKeyring } from '../../../src/gateway/read/keyring';
import { showRequestId } from '../../../src/gateway/read/show-request-id';

const keyring = createKeyring(new Secret('a secret of this gateway'));
const show = (id: string): string => showRequestId(id, keyring);

test('an id is shown as it was sent', () => {
  for (const id of ['SHOP-17', '1732270000123', 'AIRTIME_6581c02d|1.a-b']) expect(show(id)).toBe(id);
});

test('an id that names somebody is always the same keyed hash, and another one under another secret', () => {
  const shown = show('08031234567');
  expect(shown).toMatch(/^id~[0-9a-f]{16}$/);
  expect([show('08031234567'), show('08031234568') === shown]).toEqual([shown, false]);
  expect(showRequestId('08031234567', createKeyring(new Secret('another secret')))).not.toBe(shown);
});
