import { join } from 'node:path';
import type { Config } from '../config';
import { checkFolder } from '../mapping/check';
import { readLastGood } from '../mapping/live';
import type { Mapping } from '../mapping/mapping';
import { formatProblems } from '../mapping/by-cause';

/**
 * By which mapping past orders are told: the folder's. Orders must be readable in the middle of an edit too, so when the
 * folder cannot be used it is the last good one, as for the gateway itself, and standard error says so.
 */
export function readMappingForOrders({ mappingsDir, dataDir }: Config): Mapping {
  const { mapping, problems } = checkFolder(mappingsDir);
  if (mapping !== undefined) return mapping;
  const lastGood = readLastGood(join(dataDir, 'mappings.last-good.json'))?.mapping;
  if (lastGood === undefined) throw new Error(formatProblems(problems));
  process.stderr.write(
    `The mapping files cannot be used (see \`compat-gateway check\`); orders are read by the last good set, ${lastGood.hash}.\n`,
  );
  return lastGood;
}
