import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { findValue, keepValue, type KeptValues } from '../mapping/kept-value';
import { formatProblem, type Problem } from '../mapping/problem';
import { readYaml, type Locate } from '../mapping/read-yaml';
import { accountsFileSchema, type Account } from './account/account';
import { checkAccounts } from './account/check-accounts';
import { catalogFileSchema, type CatalogFile } from './catalog/catalog-file';
import { checkCatalog } from './catalog/check-catalog';

export interface SandboxConfig {
  readonly accounts: readonly Account[];
  readonly catalog: CatalogFile;
}

/** The sandbox cannot start on such files. The message holds every problem, one a line, as editors can click it. */
export class SandboxConfigError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}

const NAME = 'sandbox';
const lastGood = { key: '', config: undefined as SandboxConfig | undefined };

/** Reads accounts.yaml and catalog.yaml of a folder; throws a SandboxConfigError that tells all that is wrong in both. `kept` spares what this program has read before. */
export function loadConfig(configDir: string, kept?: KeptValues): SandboxConfig {
  const texts = ['catalog.yaml', 'accounts.yaml'].map((name) => readText(join(configDir, name)));
  const key = JSON.stringify([configDir, texts]);
  // A test run opens hundreds of sandboxes on the same files, and reading YAML is most of what opening costs.
  if (lastGood.config !== undefined && lastGood.key === key) return lastGood.config;
  const known = kept === undefined ? undefined : (findValue(kept, NAME, texts) as SandboxConfig | undefined);
  const config = known ?? checkConfig(configDir);
  if (kept !== undefined && known === undefined) keepValue(kept, NAME, texts, config);
  Object.assign(lastGood, { key, config });
  return config;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function checkConfig(configDir: string): SandboxConfig {
  const catalog = readFile(join(configDir, 'catalog.yaml'), catalogFileSchema, checkCatalog);
  const tiers = catalog.value?.tiers ?? [];
  const accounts = readFile(join(configDir, 'accounts.yaml'), accountsFileSchema, (file, value, locate) =>
    catalog.value === undefined ? [] : checkAccounts(file, value.accounts, tiers, locate),
  );
  const problems = [...catalog.problems, ...accounts.problems];
  if (catalog.value === undefined || accounts.value === undefined || problems.length > 0) throw new SandboxConfigError(problems);
  return { accounts: accounts.value.accounts, catalog: catalog.value };
}

function readFile<T>(
  file: string,
  schema: z.ZodType<T>,
  check: (file: string, value: T, locate: Locate) => readonly Problem[],
): { value?: T; problems: readonly Problem[] } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const message = `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { problems: [{ file, line: 1, column: 1, code: 'unreadable-file', severity: 'error', message }] };
  }
  const { value, problems, locate } = readYaml(file, text, schema);
  return value === undefined ? { problems } : { value, problems: [...problems, ...check(file, value, locate)] };
}
