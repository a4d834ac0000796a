import { Command } from 'commander';
import { nairaText } from '../domain/amount';
import { MEANINGS } from '../orders/order-story';
import type { Order } from '../domain/order';
import type { Outcome } from '../domain/outcome';
import type { Rechecked } from '../gateway/recheck';
import { readHiddenLine } from './read-hidden-line';
import { print, readConfig } from './process';
import { askAdmin } from './running-gateway';

/** As shells have it for Ctrl-C. */
const CANCELLED_EXIT_CODE = 130;

/** `compat-gateway orders recheck`: v1 is asked about one order, with its reseller's key. */
export function recheckCommand(): Command {
  return new Command('recheck')
    .description('Asks v1 again about one order, through the running gateway. Buys nothing. Type or pipe the key in.')
    .argument('<id>', "its request id, the id of our replies, or v1's reference")
    .option('--address <address>', 'the address of the script, where its key is locked to that')
    .addHelpText(
      'after',
      '\nExit codes: 0 v1 was asked, 1 it could not be, 2 bad usage, 130 cancelled.\n\nExample:\n  compat-gateway orders recheck first-a < key.txt',
    )
    .action(async (id: string, { address }: { readonly address?: string }) => {
      const { config } = readConfig();
      const line = await readHiddenLine('API key: ');
      if (line === undefined) {
        process.exitCode = CANCELLED_EXIT_CODE;
        return;
      }
      const key = line.trim().replace(/:\d{4,6}$/, '');
      if (key === '') throw new Error('No key was given.');
      const { status, body } = await askAdmin(config, 'POST', '/orders/recheck', {
        id,
        key,
        ...(address === undefined ? {} : { address }),
      });
      if (status !== 200)
        throw new Error(typeof body['message'] === 'string' ? body['message'] : 'The gateway did not understand.');
      describeRecheck(body as unknown as Rechecked).forEach(print);
    });
}

export function describeRecheck({ before, after, receipt }: Rechecked): string[] {
  const isChanged = standing(before) !== standing(after);
  return [
    `v1 says   ${receipt === undefined ? 'nothing of it: there is no receipt that can be asked for' : `${receipt.kind}${charged(receipt)}`}`,
    `before    ${standing(before)}`,
    `now       ${isChanged ? standing(after) : 'the same'}`,
  ];
}

function standing({ outcome }: Order): string {
  const kind = outcome?.kind ?? 'open';
  return `${kind}: ${MEANINGS[kind]}`;
}

function charged(outcome: Outcome): string {
  const amount = 'delivery' in outcome ? outcome.delivery?.charged : undefined;
  return amount === undefined ? '' : `, ${nairaText(amount)} naira charged`;
}
