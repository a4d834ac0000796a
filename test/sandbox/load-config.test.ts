import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/sandbox/load-config';
import { openSandbox } from '../../src/sandbox/sandbox';
import { newFolder } from '../new-folder';

const folder = newFolder();

let count = 0;

/** The shipped files with one text replaced in one of them. */
function broken(name: 'accounts.yaml' | 'catalog.yaml', from: string, to: string): string {
  const path = join(folder, String((count += 1)));
  cpSync('sandbox', path, { recursive: true });
  const file = join(path, name);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
  return path;
}

function problemsOf(path: string): readonly string[] {
  try {
    loadConfig(path);
  } catch (error) {
    return (error as Error).message.split('\n').map((line) => line.replace(`${path}/`, ''));
  }
  return [];
}

const lineOf = (name: string, text: string) =>
  readFileSync(join('sandbox', name), 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(text)) + 1;

describe('the YAML of the sandbox', () => {
  test('as shipped has no problems', () => {
    expect(problemsOf('sandbox')).toEqual([]);
  });

  test('with an unknown key is refused with file, line, column and the similar known key', () => {
    const at = lineOf('accounts.yaml', 'vendor: false');
    const [line, hint] = problemsOf(broken('accounts.yaml', 'vendor: false', 'vender: false'));
    expect(line).toMatch(new RegExp(`^accounts\\.yaml:${at}:5 {2}unknown-key`));
    expect(hint).toContain('vendor');
  });

  test.each([
    ['accounts.yaml', "pin: '1234'", 'pin: 1234', /schema/],
    ['accounts.yaml', "pin: '1234'", "pin: '12'", /PIN is 4 to 6 digits/],
    ['accounts.yaml', 'acme_live_poor', 'acme_poor', /a live key looks like/],
    ['accounts.yaml', 'acme_live_poor', 'acme_live_demo', /not-unique .*acme_live_demo is used twice/],
    ['accounts.yaml', 'id: acme-poor', 'id: acme', /not-unique .*acme is used twice/],
    ['accounts.yaml', '10.0.0.9]', '10.0.0.999]', /an IP address is expected/],
    ['accounts.yaml', 'vendor: false', 'tier: gold', /unknown-tier .*no tier gold/],
    ['accounts.yaml', 'vendor: false', 'webhook_url: http://example.com/x', /webhook-not-https/],
    [
      'accounts.yaml',
      'keys: { live: acme_live_demo }',
      'keys: { live: acme_live_demo }\n    webhook_url: http://localhost/x',
      /webhook-not-https .*live orders/,
    ],
    ['accounts.yaml', 'sandbox: 100 }', 'sandbox: 1.001 }', /at most two decimals/],
    ['accounts.yaml', 'keys: { sandbox: sandbox_demo }', 'keys: {}', /no-key/],
    ['catalog.yaml', 'network: MTN, supplier: mtn-sme-500', 'network: MTM, supplier: mtn-sme-500', /unknown-network .*MTM/],
    ['catalog.yaml', 'id: 102,', 'id: 101,', /not-unique .*id 101 is used twice/],
    ['catalog.yaml', 'WAEC: { standard: 3450, premium: 3400 }', 'WAEC: { standard: 3450 }', /missing-tier .*premium/],
    [
      'catalog.yaml',
      'WAEC: { standard: 3450, premium: 3400 }',
      'WAEC: { standard: 1, premium: 1, gold: 1 }',
      /unknown-tier .*gold/,
    ],
    [
      'catalog.yaml',
      'airtime_discount: { standard: 2, premium: 3 }',
      'airtime_discount: { standard: 2 }',
      /missing-tier .*premium/,
    ],
    [
      'catalog.yaml',
      'airtime_discount: { standard: 2, premium: 3 }',
      'airtime_discount: { standard: 2, premium: 3, standrad: 2 }',
      /unknown-tier .*standrad/,
    ],
    ['catalog.yaml', "prefixes: ['0701'", "prefixes: ['0703', '0701'", /not-unique .*prefix 0703 is used twice/],
    ['catalog.yaml', 'cable_id: 107, supplier', 'cable_id: 108, supplier', /unknown-provider .*108/],
    ['catalog.yaml', 'switched_off: []', 'switched_off: [telepathy]', /unknown-choice/],
    ['catalog.yaml', 'tiers: [', 'tiers: [[', /yaml-syntax/],
  ] as const)('is refused with the place of the fault when %s has, instead of %j, %j', (name, from, to, expected) => {
    const problems = problemsOf(broken(name, from, to));
    expect(problems.join('\n')).toMatch(expected);
    expect(problems[0]).toMatch(new RegExp(`^${name}:\\d+:\\d+ {2}`));
  });

  test('is refused by openSandbox while it lacks a tier to which an account was changed', async () => {
    const dataDir = join(folder, 'data');
    const before = await openSandbox({ dataDir });
    before.admin.changeAccount('demo', { tier: 'premium' });
    await before.close();
    const configDir = join(folder, 'renamed');
    cpSync('sandbox', configDir, { recursive: true });
    for (const name of ['accounts.yaml', 'catalog.yaml']) {
      const text = readFileSync(join(configDir, name), 'utf8');
      writeFileSync(join(configDir, name), text.replaceAll('premium', 'gold'));
    }
    await expect(openSandbox({ dataDir, configDir })).rejects.toThrow(/account demo .* tier premium/);
    await (await openSandbox({ dataDir })).close();
  });

  test('is refused by openSandbox with the names of both files when they cannot be read', async () => {
    await expect(openSandbox({ configDir: join(folder, 'nowhere') })).rejects.toThrow(
      /catalog\.yaml.*unreadable-file[^]*accounts\.yaml/,
    );
  });
});
