import { Command } from 'commander';
import { describeConfig } from '../config';
import { misspeltSettings, readConfig } from './process';

const HELP = `
Exit codes: 0 usable, 1 a setting has a wrong value, 2 bad usage.

Example:
  PORT=80 compat-gateway config`;

/** `compat-gateway config`: prints the settings in force and the source of each. Secrets are masked. */
export function configCommand(): Command {
  return new Command('config')
    .description('Prints the effective settings; secrets are masked.')
    .addHelpText('after', HELP)
    .action(() => {
      const { config, sources } = readConfig({ serves: true });
      const rows = describeConfig(config, sources);
      const width = Math.max(...rows.map(({ name }) => name.length));
      for (const { name, value, source } of rows)
        process.stdout.write(`${name.padEnd(width)}  ${value}${source === undefined ? '' : `  (${source})`}\n`);
      for (const sentence of misspeltSettings()) process.stderr.write(`${sentence}\n`);
    });
}
