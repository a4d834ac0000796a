import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { Secret } from '../domain/credentials';
import { createKeyring } from '../gateway/keyring';
import { readGatewaySecret } from '../gateway-secret';
import { readConfig } from './read-config';

/** `compat-gateway fingerprint`: the key is typed unseen or piped in, never given as an argument that others can list. */
export function fingerprintCommand(): Command {
  return new Command('fingerprint')
    .description('Prints the fingerprint of an API key, for callers.yaml. Type or pipe the key in.')
    .action(async () => {
      const { config } = readConfig();
      const key = (await readHiddenLine('API key: ')).trim().replace(/:\d{4,6}$/, '');
      if (key === '') throw new Error('No key was given.');
      process.stdout.write(`${createKeyring(readGatewaySecret(config)).fingerprint(new Secret(key))}\n`);
    });
}

function readHiddenLine(prompt: string): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  if (isTerminal) process.stderr.write(prompt);
  // Without an output the line editor shows nothing of what is typed.
  const lines = createInterface({ input: process.stdin, terminal: isTerminal });
  return new Promise((resolve) => {
    let first = '';
    lines.once('line', (line) => {
      first = line;
      lines.close();
    });
    lines.once('close', () => {
      if (isTerminal) process.stderr.write('\n');
      resolve(first);
    });
  });
}
