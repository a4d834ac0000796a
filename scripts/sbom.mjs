// What is in the program of others, as CycloneDX: `node scripts/sbom.mjs sbom.cdx.json`, before `npm prune`. npm's own `--omit dev` leaves out what
// development needs as well (lru-cache, debug, ...), so all is listed and package-lock.json says what belongs to development alone.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COPIED } from './build.mjs';
import { root } from './setup.mjs';

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
// Browsers get these from `dist`, wherever they were declared.
const copied = new Set(Object.values(COPIED).map((file) => file.split('/')[0]));
const kept = new Set(
  Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && (dev !== true || copied.has(nameOf(path))))
    .map(([path, { version }]) => `${nameOf(path)}@${version}`),
);
const bom = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--offline'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 27 }),
);
const itself = bom.metadata.component;
itself.name = packages[''].name;
bom.components = bom.components.filter((one) => kept.has(one['bom-ref']));
bom.dependencies = bom.dependencies
  .filter(({ ref }) => kept.has(ref) || ref === itself['bom-ref'])
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
writeFileSync(process.argv[2], `${JSON.stringify(bom, null, 1)}\n`);
