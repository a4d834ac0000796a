import { type Credentials, Secret } from '../../../src/domain/credentials';
import { createKeyring } from '../../../src/gateway/read/keyring';

export const keyring = createKeyring(new Secret('a'.repeat(64)));

export const owner = (key: string, pin?: string): Credentials => ({
  apiKey: new Secret(key),
  fingerprint: keyring.fingerprint(new Secret(key)),
  ...(pin === undefined ? {} : { pin: new Secret(pin) }),
});
