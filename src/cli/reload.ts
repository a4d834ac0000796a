import { Command } from 'commander';
import { formatProblems, type Problem } from '../mapping/problem';
import { parseHash } from './parse-options';
import { currentUser, readConfig } from './process';
import { askAdmin, messageOf } from './running-gateway';

/** `compat-gateway reload`: exit code 1 if the running gateway refuses the files in its folder. */
export function reloadCommand(): Command {
  return new Command('reload')
    .description('Makes the running gateway take its mapping files into use, all or nothing.')
    .option('--expect <hash>', 'only if the files are exactly the set with this hash', parseHash)
    .addHelpText(
      'after',
      '\nExit codes: 0 in use, 1 refused (the running set stays), 2 bad usage.\n\nExample:\n  compat-gateway check && compat-gateway reload',
    )
    .action(async ({ expect }: { expect?: string }) => {
      const { config } = readConfig();
      const { body } = await askAdmin(config, 'POST', '/mapping/reload', { expected_hash: expect, who: currentUser() });
      printReload(body);
    });
}

/** Prints what became of a reload or an apply. Exit code 1 unless the wanted set is in use. */
export function printReload(body: Readonly<Record<string, unknown>>): void {
  process.stdout.write(describeReload(body));
  if (body['status'] !== 'reloaded' && body['status'] !== 'unchanged') process.exitCode = 1;
}

export function describeReload(body: Readonly<Record<string, unknown>>): string {
  const hash = String(body['hash']);
  switch (body['status']) {
    case 'reloaded':
      return `In use now: ${hash}.\n`;
    case 'unchanged':
      return `Nothing changed: ${hash} is in use already.\n`;
    case 'refused':
      return `${formatProblems(body['problems'] as readonly Problem[])}\nRefused: ${hash} stays in use.\n`;
    case 'folder_unreadable':
      return `${formatProblems(body['problems'] as readonly Problem[])}\nRefused: the gateway cannot read its mappings folder. Mend or remove what is named above. ${hash} stays in use.\n`;
    case 'edited_meanwhile':
      return `Refused: the gateway's folder holds ${String(body['found'])}, not the expected set. ${hash} stays in use.\n`;
    case 'running_changed':
      return `Refused: somebody else has applied a set meanwhile. ${hash} stays in use.\n`;
    case 'unwritable':
      return `Refused: the gateway cannot write into ${String(body['folder'])}: ${String(body['detail'])}. ${hash} stays in use.\n`;
    default:
      return `${messageOf(body)}\n`;
  }
}
