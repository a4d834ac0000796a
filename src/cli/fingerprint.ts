import { Command } from 'commander';
import { Secret } from '../domain/credentials';
import { createKeyring, looksLikeToken, type Keyring } from '../gateway/keyring';
import { showRequestId } from '../gateway/show-request-id';
import { readGatewaySecret } from '../gateway-secret';
import { readConfig } from './read-config';
import { readHiddenLine } from './read-hidden-line';

/** As shells have it for Ctrl-C. */
const CANCELLED_EXIT_CODE = 130;

/** `compat-gateway fingerprint`: the key is typed unseen or piped in, never given as an argument that others can list. */
export function fingerprintCommand(): Command {
  return new Command('fingerprint')
    .description('Prints the fingerprint of an API key, for callers.yaml. Type or pipe the key in.')
    .addHelpText(
      'after',
      '\nExit codes: 0 printed, 1 no key was given, 2 bad usage, 130 cancelled.\n\nExample:\n  compat-gateway fingerprint < key.txt',
    )
    .option('--request-id', 'take a request id, and print how the log shows it')
    .action(async ({ requestId }: { readonly requestId?: true }) => {
      const { config } = readConfig();
      const keyring = createKeyring(readGatewaySecret(config));
      const line = await readHiddenLine(requestId ? 'Request id: ' : 'API key: ');
      if (line === undefined) {
        process.exitCode = CANCELLED_EXIT_CODE;
        return;
      }
      const text = line.trim();
      process.stdout.write(`${requestId ? showRequestId(text, keyring) : keyring.fingerprint(keyIn(text, keyring))}\n`);
    });
}

/** What stands in a script's settings: a key, a key with its PIN, or an AccessToken of this gateway. */
function keyIn(text: string, keyring: Keyring): Secret {
  if (text === '') throw new Error('No key was given.');
  if (!looksLikeToken(text)) return new Secret(text.replace(/:\d{4,6}$/, ''));
  const opened = keyring.openToken(text);
  if (opened === undefined) throw new Error('This is an AccessToken, and not one that this gateway has issued.');
  return opened.apiKey;
}
