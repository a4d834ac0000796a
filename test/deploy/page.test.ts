/** docs/deploy.md: its commands would change a machine, so they are read and not run; each must name things that exist. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_KEYS } from '../../src/config';
import { DEPLOY } from '../fleet/start-fleet';

const ROOT = join(DEPLOY, '..');
const page = readFileSync(join(ROOT, 'docs', 'deploy.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh no-run=root\n([\s\S]*?)^```$/gm)].map(([, text]) => text!);

test('its commands are valid shell', () => {
  expect(blocks.length).toBeGreaterThan(5);
  for (const block of blocks)
    expect([block, spawnSync('sh', ['-n'], { input: block, encoding: 'utf8' }).stderr]).toEqual([block, '']);
});

test('the files that it copies from the clone exist and are in the image', () => {
  const copied = /^cp -a (.*) \/opt\/compat-gateway\/$/m.exec(page)![1]!.split(' ');
  // Made by the build.
  for (const name of copied.filter((one) => one !== 'dist')) expect([name, existsSync(join(ROOT, name))]).toEqual([name, true]);
  for (const [file] of page.matchAll(/deploy\/[\w.-]+/g))
    expect([file, existsSync(join(ROOT, file.replace(/\.$/, '')))]).toEqual([file, true]);
  const inImage = [...readFileSync(join(ROOT, 'Dockerfile'), 'utf8').matchAll(/^COPY --from=build \/app\/([^ ]+)/gm)].map(
    ([, name]) => name!,
  );
  expect(inImage.filter((name) => !copied.includes(name) && name !== 'sbom.cdx.json')).toEqual([]);
});

test('its settings are settings, and its folders are those of the unit', () => {
  const names = [...page.matchAll(/^(?:- `)?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name!);
  expect(names).toContain('GATEWAY_SECRET');
  expect(names.filter((name) => !CONFIG_KEYS.some((key) => key.name === name))).toEqual([]);
  const unit = readFileSync(join(DEPLOY, 'compat-gateway.service'), 'utf8');
  const [, environment = ''] = /^Environment=(.*)$/m.exec(unit)!;
  for (const pair of environment.split(' ')) expect(page).toContain(`--setenv=${pair}`);
});
