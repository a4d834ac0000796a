import { Command } from 'commander';
import { OUTCOME_MEANINGS, receiptText } from '../orders/order-story';
import type { Order } from '../domain/order';
import type { Rechecked } from '../gateway/recheck';
import { print, readConfig, readHiddenLine } from './process';
import { askAdminOrThrow } from './running-gateway';

/** A recheck reads pages of v1's history and receipts one after the other, and each call may take its full time limit. */
const ANSWER_MS = 5 * 60_000;

/** `compat-gateway orders recheck`: asks v1 about one order, with the key of its reseller. */
export function recheckCommand(): Command {
  return new Command('recheck')
    .description('Asks v1 again about one order, through the running gateway. Buys nothing. Type or pipe the key in.')
    .argument('<id>', "its request id, the id of our replies, or v1's reference")
    .option('--address <address>', 'the address of the script, if its key is locked to addresses')
    .addHelpText(
      'after',
      '\nExit codes: 0 v1 was asked, 1 it could not be, 2 bad usage, 130 cancelled.\n\nExample:\n  compat-gateway orders recheck first-a < key.txt',
    )
    .action(async (id: string, { address }: { readonly address?: string }) => {
      const { config } = readConfig();
      const line = await readHiddenLine('API key: ');
      if (line === undefined) return;
      const key = line.trim().replace(/:\d{4,6}$/, '');
      if (key === '') throw new Error('No key was given.');
      const asked = { id, key, ...(address === undefined ? {} : { address }) };
      const rechecked = await askAdminOrThrow(config, 'POST', '/orders/recheck', asked, ANSWER_MS);
      describeRecheck(rechecked as unknown as Rechecked).forEach(print);
    });
}

export function describeRecheck(rechecked: Rechecked): string[] {
  const { before, after } = rechecked;
  const isChanged = standing(before) !== standing(after);
  return [
    `v1 says   ${receiptText(rechecked)}`,
    `before    ${standing(before)}`,
    `now       ${isChanged ? standing(after) : 'the same'}`,
  ];
}

function standing({ outcome }: Order): string {
  const kind = outcome?.kind ?? 'open';
  return `${kind}: ${OUTCOME_MEANINGS[kind]}`;
}
