import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { findValue, keepValue, type KeptValues } from '../mapping/kept-value';
import { formatProblem, type Problem } from '../mapping/problem';
import { readYaml, type YamlPath } from '../mapping/read-yaml';
import { accountsFileSchema, checkWebhook, type Account } from './account';
import { catalogFileSchema, type CatalogFile } from './catalog';

export interface SandboxConfig {
  readonly accounts: readonly Account[];
  readonly catalog: CatalogFile;
}

const NAME = 'sandbox';
const lastGood = { key: '', config: undefined as SandboxConfig | undefined };

/**
 * Reads accounts.yaml and catalog.yaml of a folder. Throws an Error whose message lists every problem of both files, one per
 * line, with file, line and column for editors. With `kept`, files that an earlier run has read are not read again.
 */
export function loadConfig(configDir: string, kept?: KeptValues): SandboxConfig {
  const catalog = readText(join(configDir, 'catalog.yaml'));
  const accounts = readText(join(configDir, 'accounts.yaml'));
  const texts = [catalog.text, accounts.text];
  const key = JSON.stringify([configDir, texts]);
  // A test run opens hundreds of sandboxes on the same files, and most of the time of an opening goes into reading the YAML.
  if (lastGood.config !== undefined && lastGood.key === key) return lastGood.config;
  const known = kept === undefined ? undefined : (findValue(kept, NAME, texts) as SandboxConfig | undefined);
  const config = known ?? checkConfig(catalog, accounts);
  if (kept !== undefined && known === undefined) keepValue(kept, NAME, texts, config);
  Object.assign(lastGood, { key, config });
  return config;
}

interface TextFile {
  readonly file: string;
  /** Null if the file cannot be read; `fault` then has the reason. */
  readonly text: string | null;
  readonly fault?: string;
}

function readText(file: string): TextFile {
  try {
    return { file, text: readFileSync(file, 'utf8') };
  } catch (error) {
    return { file, text: null, fault: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function checkConfig(catalogFile: TextFile, accountsFile: TextFile): SandboxConfig {
  const problems: Problem[] = [];
  const catalog = checkFile(problems, catalogFile, catalogFileSchema, checkCatalog);
  const accounts = checkFile(problems, accountsFile, accountsFileSchema, (value, report) => {
    if (catalog !== undefined) checkAccounts(value.accounts, catalog.tiers, report);
  });
  if (catalog === undefined || accounts === undefined || problems.length > 0) {
    throw new Error(problems.map(formatProblem).join('\n'));
  }
  return { accounts: accounts.accounts, catalog };
}

/** Adds a problem at the place of a value. */
type Report = (path: YamlPath, code: string, message: string) => void;

function checkFile<T>(
  problems: Problem[],
  { file, text, fault }: TextFile,
  schema: z.ZodType<T>,
  check: (value: T, report: Report) => void,
): T | undefined {
  if (text === null) {
    problems.push({ file, line: 1, column: 1, code: 'unreadable-file', severity: 'error', message: fault ?? '' });
    return undefined;
  }
  const { value, problems: found, locate } = readYaml(file, text, schema);
  problems.push(...found);
  const report: Report = (path, code, message) => void problems.push({ file, ...locate(path), code, severity: 'error', message });
  if (value !== undefined) check(value, report);
  return value;
}

/** The checks of catalog.yaml beyond its schema: names that exist, unique ids and prefixes, prices and discounts for every tier. */
function checkCatalog(catalog: CatalogFile, report: Report): void {
  const names = new Set(catalog.networks.map((network) => network.name));
  const checkNetwork = (path: YamlPath, name: string) => {
    if (!names.has(name)) report(path, 'unknown-network', `no network is called ${name}`);
  };
  const checkTiers = (path: YamlPath, byTier: number | Readonly<Record<string, number>>) => {
    if (typeof byTier === 'number') return;
    for (const tier of catalog.tiers) if (byTier[tier] === undefined) report(path, 'missing-tier', `nothing for tier ${tier}`);
    for (const tier of Object.keys(byTier)) {
      if (!catalog.tiers.includes(tier)) report([...path, tier], 'unknown-tier', `no tier is called ${tier}`);
    }
  };
  const checkUnique = (list: 'networks' | 'data_plans' | 'cable_plans' | 'discos', key: 'id' | 'name') => {
    const seen = new Set<unknown>();
    for (const [index, item] of catalog[list].entries()) {
      const value = (item as { id: number; name?: string })[key];
      if (seen.has(value)) report([list, index, key], 'not-unique', `${key} ${String(value)} is used twice`);
      seen.add(value);
    }
  };
  checkUnique('networks', 'name');
  for (const list of ['networks', 'data_plans', 'cable_plans', 'discos'] as const) checkUnique(list, 'id');
  const prefixes = new Set<string>();
  for (const [index, network] of catalog.networks.entries()) {
    checkTiers(['networks', index, 'airtime_discount'], network.airtime_discount ?? 0);
    for (const [nth, prefix] of network.prefixes.entries()) {
      if (prefixes.has(prefix)) report(['networks', index, 'prefixes', nth], 'not-unique', `prefix ${prefix} is used twice`);
      prefixes.add(prefix);
    }
  }
  for (const [index, plan] of catalog.data_plans.entries()) {
    checkNetwork(['data_plans', index, 'network'], plan.network);
    checkTiers(['data_plans', index, 'price'], plan.price);
  }
  for (const [index, plan] of catalog.cable_plans.entries()) {
    checkTiers(['cable_plans', index, 'price'], plan.price);
    if (!catalog.cable_providers.some(({ cable_id }) => cable_id === plan.cable_id)) {
      report(['cable_plans', index, 'cable_id'], 'unknown-provider', `no cable provider has the id ${plan.cable_id}`);
    }
  }
  for (const [exam, price] of Object.entries(catalog.exams)) checkTiers(['exams', exam], price);
  for (const [network, prices] of Object.entries(catalog.recharge_cards)) {
    checkNetwork(['recharge_cards', network], network);
    for (const [face, price] of Object.entries(prices)) checkTiers(['recharge_cards', network, face], price);
  }
}

/** The checks of accounts.yaml beyond its schema: unique ids and keys, at least one key, a tier of the catalog, https webhooks (section 6). */
function checkAccounts(accounts: readonly Account[], tiers: readonly string[], report: Report): void {
  const seen = new Set<string>();
  for (const [index, account] of accounts.entries()) {
    const { id, keys, tier } = account;
    const once = (path: YamlPath, text: string | undefined) => {
      if (text === undefined) return;
      if (seen.has(text)) report(['accounts', index, ...path], 'not-unique', `${text} is used twice`);
      seen.add(text);
    };
    once(['id'], id);
    once(['keys', 'live'], keys.live);
    once(['keys', 'sandbox'], keys.sandbox);
    if (keys.live === undefined && keys.sandbox === undefined) {
      report(['accounts', index, 'keys'], 'no-key', 'an account needs a live or a sandbox key');
    }
    const fault = checkWebhook(account);
    if (fault !== undefined) report(['accounts', index, 'webhook_url'], 'webhook-not-https', fault);
    if (!tiers.includes(tier)) report(['accounts', index, 'tier'], 'unknown-tier', `the catalog has no tier ${tier}`);
  }
}
