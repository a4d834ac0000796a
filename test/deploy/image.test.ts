/**
 * The image without a container engine: what the Dockerfile copies and runs, in folders of this machine, and its command as a
 * user without rights on a read-only root. Only `npm ci` is not run, because it has run here already.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess } from '../end-process';
import { send } from '../flows/house';
import { freePort } from '../free-port';
import { describeWith } from './installed';
import { newFolder } from '../new-folder';

const ROOT = resolve(__dirname, '..', '..');
/** A numeric user: the image has a user `node`, this machine may not. */
const NOBODY = '65534';

type Step = readonly [word: string, rest: string];

/** The instructions of each stage, in order. */
function readDockerfile(): readonly (readonly Step[])[] {
  const stages: Step[][] = [];
  for (const line of readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split('\n')) {
    const [, word, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (word === undefined || rest === undefined) continue;
    if (word === 'FROM') stages.push([]);
    else stages.at(-1)!.push([word, rest]);
  }
  return stages;
}

const [building = [], running = []] = readDockerfile();
const told = (word: string): string[] => running.filter(([one]) => one === word).map(([, rest]) => rest);

/** COPY and RUN of a stage; `from` is where `--from=build` copies from. */
function play(stage: readonly Step[], folder: string, from?: string): void {
  for (const [word, rest] of stage) {
    if (word === 'COPY') copy(rest, folder, from);
    if (word !== 'RUN') continue;
    if (rest.startsWith('npm ci')) linkPackages(folder);
    else
      execFileSync('sh', ['-ec', rest.replaceAll('node:node', `${NOBODY}:${NOBODY}`)], {
        cwd: folder,
        env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, npm_config_offline: 'true' },
        stdio: 'pipe',
      });
  }
}

function copy(rest: string, folder: string, from: string | undefined): void {
  const words = rest.split(' ');
  const isFromBuild = words[0] === '--from=build';
  const target = words.at(-1)!;
  for (const source of words.slice(isFromBuild ? 1 : 0, -1)) {
    const file = isFromBuild ? join(from!, source.replace(/^\/app\//, '')) : join(ROOT, source);
    const into = join(folder, target.endsWith('/') ? join(target, basename(source)) : target);
    mkdirSync(dirname(into), { recursive: true });
    if (basename(source) === 'node_modules') execFileSync('cp', ['-al', file, into]);
    else cpSync(file, into, { recursive: true });
  }
}

/** Hard links, except for the one file that `npm prune` rewrites. */
function linkPackages(folder: string): void {
  execFileSync('cp', ['-al', join(ROOT, 'node_modules'), join(folder, 'node_modules')]);
  const list = join('node_modules', '.package-lock.json');
  rmSync(join(folder, list));
  copyFileSync(join(ROOT, list), join(folder, list));
}

const commandOf = (words: string): string[] =>
  (JSON.parse(words) as string[]).map((word) => (word === 'node' ? process.execPath : word));

describeWith('unshare', ['--mount', 'true'], 'the image', () => {
  const folder = newFolder();
  let image: string;
  beforeAll(() => {
    execFileSync('chmod', ['755', folder]);
    const build = join(folder, 'build');
    image = join(folder, 'app');
    for (const one of [build, image]) mkdirSync(one);
    play(building, build);
    play(running, image, build);
  }, 180_000);

  test('runs as a user that is not root and may write only the data folder', () => {
    expect(told('USER')).toEqual(['node']);
    expect(told('VOLUME')).toEqual(['/app/data']);
    expect([statSync(join(image, 'data')).mode & 0o777, String(statSync(join(image, 'data')).uid)]).toEqual([0o700, NOBODY]);
    expect(told('CMD')[0]).toContain('"serve"');
  });

  test('sells, is healthy and stops on a read-only root, without any capability', async () => {
    const [port, adminPort] = [await freePort(), await freePort()];
    const env = {
      PATH: process.env['PATH'],
      ...Object.fromEntries(told('ENV').map((pair) => pair.split('=') as [string, string])),
      ...{ UPSTREAM_URL: 'sandbox', HOST: '127.0.0.1', PORT: String(port), ADMIN_PORT: String(adminPort), SANDBOX_PORT: '0' },
      DRAIN_SECONDS: '0',
    };
    const enter = [
      'mount --make-rprivate / && mount --bind data data && mount -o remount,bind,ro /',
      `cd ${image}`,
      `exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"`,
    ].join('; ');
    const within = ['--mount', 'sh', '-ec', enter, 'image'];
    const refused = spawnSync('unshare', [...within, 'sh', '-c', 'touch dist/x; touch /tmp/x; touch data/x; rm data/x; id -u'], {
      cwd: image,
      encoding: 'utf8',
    });
    expect([refused.stdout, refused.stderr.match(/Read-only file system/g)]).toEqual([`${NOBODY}\n`, expect.arrayContaining(['Read-only file system'])]); // prettier-ignore
    expect(refused.stderr.match(/Read-only file system/g)).toHaveLength(2);

    const health = () => {
      const [words = ''] = told('HEALTHCHECK').map((rest) => rest.slice(rest.indexOf('CMD ') + 4));
      return spawnSync('unshare', [...within, ...commandOf(words)], { cwd: image, env }).status;
    };
    const start = async (): Promise<{ readonly gateway: ChildProcess; readonly complaints: () => string }> => {
      const gateway = spawn('unshare', [...within, ...commandOf(told('CMD')[0]!)], { cwd: image, env });
      let complaints = '';
      gateway.stderr.on('data', (part: Buffer) => (complaints += part.toString()));
      gateway.stdout.resume();
      for (let tries = 0; tries < 300 && gateway.exitCode === null; tries += 1) {
        if ((await fetch(`http://127.0.0.1:${adminPort}/readyz`).catch(() => undefined))?.status === 200) break;
        await sleep(50);
      }
      return { gateway, complaints: () => complaints };
    };

    const first = await start();
    try {
      expect(first.complaints()).toBe('');
      expect(health()).toBe(0);
      const sale = { network: 1, mobile_number: '08031234567', amount: 100, 'request-id': 'image-1' };
      expect((await send(`http://127.0.0.1:${port}`, '/api/topup/', sale)).body).toMatchObject({ status: 'success' });
    } finally {
      await endProcess(first.gateway);
    }
    expect([first.gateway.exitCode, first.complaints()]).toEqual([0, '']);
    expect(health()).toBe(1);
    const second = await start();
    try {
      const told = await send(`http://127.0.0.1:${port}`, '/api/transaction/image-1');
      expect(told.body).toMatchObject({ status: 'success', 'request-id': 'image-1' });
    } finally {
      await endProcess(second.gateway);
    }
  }, 60_000);

  test('lists its packages: those of the lock file that are not for development, and what browsers get', () => {
    const bom = JSON.parse(readFileSync(join(image, 'sbom.cdx.json'), 'utf8')) as {
      readonly bomFormat: string;
      readonly metadata: { readonly component: { readonly name: string } };
      readonly components: readonly { readonly name: string; readonly version: string; readonly 'bom-ref': string }[];
      readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
    };
    expect([bom.bomFormat, bom.metadata.component.name]).toEqual(['CycloneDX', 'compat-gateway']);
    const listed = bom.components.map((one) => one['bom-ref']);
    const installed = execFileSync('find', ['node_modules', '-name', 'package.json', '-path', '*node_modules/*'], {
      cwd: image,
      encoding: 'utf8',
    })
      .split('\n')
      .filter((file) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^./][^/]*\/package\.json$/.test(file) && !file.includes('/.'))
      .map((file) => JSON.parse(readFileSync(join(image, file), 'utf8')) as { name: string; version: string })
      .map(({ name, version }) => `${name}@${version}`);
    expect(installed.length).toBeGreaterThan(100);
    const copied = listed.filter((one) => /^(?:htmx\.org|uplot)@/.test(one));
    expect(copied).toHaveLength(2);
    expect([...new Set(listed)].toSorted()).toEqual([...new Set([...installed, ...copied])].toSorted());
    const refs = new Set(bom.dependencies.map(({ ref }) => ref));
    expect(bom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((one) => !refs.has(one))).toEqual([]);
    expect(existsSync(join(image, 'node_modules', 'typescript'))).toBe(false);
  });
});
