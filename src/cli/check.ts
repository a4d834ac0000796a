import { Command } from 'commander';
import { checkFolder } from '../mapping/check';
import { formatProblem } from '../mapping/problem';
import { readConfig } from './read-config';

/** `compat-gateway check`: exit code 1 when a mapping file has an error. */
export function checkCommand(): Command {
  return new Command('check')
    .description('Checks the mapping files and prints every problem with its place.')
    .argument('[folder]', 'the mappings folder (default: MAPPINGS_DIR)')
    .addHelpText(
      'after',
      '\nExit codes: 0 usable, 1 problems, 2 bad usage.\n\nExamples:\n  compat-gateway check\n  compat-gateway check /etc/compat-gateway/mappings',
    )
    .action((folder: string | undefined) => {
      const { mapping, problems } = checkFolder(folder ?? readConfig().config.mappingsDir);
      for (const problem of problems) process.stdout.write(`${formatProblem(problem)}\n`);
      const errors = problems.filter((problem) => problem.severity === 'error').length;
      if (mapping === undefined) {
        process.stdout.write(`${errors} ${errors === 1 ? 'problem' : 'problems'}: these mappings cannot be used.\n`);
        process.exitCode = 1;
        return;
      }
      process.stdout.write(
        `${mapping.formats.size} formats, ${mapping.operations.size} operations, ${mapping.routes.length} routes: no problems (hash ${mapping.hash}).\n`,
      );
    });
}
