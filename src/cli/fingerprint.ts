import { Command } from 'commander';
import type { Config } from '../config';
import { looksLikeKey, Secret, withoutPin } from '../domain/credentials';
import { createKeyring, type Keyring, looksLikeToken, showRequestId } from '../gateway/read/keyring';
import { findGatewaySecret, missingSecret } from '../start/gateway-secret';
import { readConfig, readHiddenLine } from './process';

/** The message does not repeat the input: it may be a mistyped key or a PIN. */
const NO_KEY =
  'This is not an API key: a key has at most 256 visible ASCII characters, no quotes and no colon, and contains `_live_` or begins with `sandbox_`. `:PIN` may follow.';

/** `compat-gateway fingerprint`: reads the key from a pipe or without echo, never as an argument, which other users of the machine can list. */
export function fingerprintCommand(): Command {
  return new Command('fingerprint')
    .description('Prints the fingerprint of an API key, for callers.yaml. Type or pipe the key in.')
    .addHelpText(
      'after',
      '\nExit codes: 0 printed, 1 no key was given or the secret of the gateway is missing, 2 bad usage, 130 cancelled.\n\nExample:\n  compat-gateway fingerprint < key.txt',
    )
    .option('--request-id', 'take a request id, and print how the log shows it')
    .action(async ({ requestId }: { readonly requestId?: true }) => {
      const keyring = openKeyring(readConfig().config);
      const line = await readHiddenLine(requestId ? 'Request id: ' : 'API key: ');
      if (line === undefined) return;
      const text = line.trim();
      if (text === '') throw new Error(`No ${requestId ? 'request id' : 'key'} was given.`);
      process.stdout.write(`${requestId ? showRequestId(text, keyring) : keyring.fingerprint(keyIn(text, keyring))}\n`);
    });
}

/** The keyring of this gateway. Throws a sentence if its secret is not here: another one would give other fingerprints. */
export function openKeyring(config: Config): Keyring {
  const secret = findGatewaySecret(config);
  if (secret === undefined) throw new Error(missingSecret(config.dataDir));
  return createKeyring(secret);
}

/** The key in the setting of a script: the text may be a key, a key with its PIN, or an AccessToken of this gateway. Throws for other text. */
export function keyIn(text: string, keyring: Keyring): Secret {
  if (!looksLikeToken(text)) {
    const key = withoutPin(text);
    if (!looksLikeKey(key)) throw new Error(NO_KEY);
    return new Secret(key);
  }
  const opened = keyring.openToken(text);
  if (opened === undefined) throw new Error('This is an AccessToken that this gateway has not issued.');
  return opened.apiKey;
}
