/** `plan` and `apply` against a real gateway with a mappings folder of its own. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatPlan } from '../../src/cli/plan';
import { openHouse, send, type House } from '../flows/house';
import { listen } from '../listen';
import { MAPPINGS, copyMappings, editFile } from '../mapping/mapping-set';
import { seen, trafficWith } from '../operator/drift/traffic-with';
import { runCommand } from './run-command';
import { runHere, withSettings } from './run-here';
import { newFolder } from '../new-folder';

let home: string;
let folder: string;
let house: House | undefined;
withSettings(() => ({}));

beforeEach(() => {
  home = newFolder();
  folder = copyMappings(join(home, 'mappings'));
});
afterEach(async () => {
  await house?.close();
  house = undefined;
});

/** A gateway that uses the folder; the commands of this process find it. */
async function open(env: Readonly<Record<string, string>> = {}): Promise<House> {
  house = await openHouse({ env: { MAPPINGS_DIR: folder, ...env } });
  Object.assign(process.env, settings());
  return house;
}

function settings(): Record<string, string> {
  return {
    MAPPINGS_DIR: folder,
    DATA_DIR: dirname(house!.service.live.history.folder),
    ADMIN_PORT: new URL(house!.service.adminUrl).port,
  };
}

interface Ran {
  readonly exitCode: number | null;
  readonly output: string;
}

async function run(...words: readonly string[]): Promise<Ran> {
  const { code, stdout, stderr } = await runHere(...words);
  return { exitCode: code, output: `${stdout}${stderr}` };
}

const plan = (...args: readonly string[]): Promise<Ran> => run('plan', ...args);
const apply = (...args: readonly string[]): Promise<Ran> => run('apply', ...args);
const history = (...args: readonly string[]): Promise<Ran> => run('history', ...args);
const rollback = (...args: readonly string[]): Promise<Ran> => run('rollback', ...args);

const edit = (file: string, from: string | RegExp, to: string, where = folder): void => editFile(join(where, file), from, to);

function copyOf(name: string): string {
  const copy = join(home, name);
  cpSync(folder, copy, { recursive: true });
  return copy;
}

const idIn = ({ output }: Ran): string => /^Plan ([0-9a-f]{16}):/.exec(output)![1]!;
const buy = (fields: object): ReturnType<typeof send> =>
  send(house!.url, '/api/topup/', { network: 'MTN', amount: 100, bypass: false, ...fields });

test('a plan says when the recorded shapes are too many to be played', () => {
  const some = { shapes: 300, left: 21, requests: 900, played: 5_000, changes: [] };
  expect(formatPlan({ id: '', running: 'a', candidate: 'b', differences: [], movesMoney: false, replay: some })).toMatch(
    /\nReplay of the most frequent 300 of 321 recorded shapes \(900 requests\) with 5000 made-up requests: no call and no reply would change\.$/,
  );
});

test('files edited in place: planned, refused without the option that accepts money changes, then in use', async () => {
  const { service } = await open();
  edit('operations/airtime.yaml', 'from: [phone, ', 'from: [phone, msisdn, ');
  edit('operations/airtime.yaml', 'title: Airtime', 'title: Air time');
  const planned = await plan();
  expect(planned.exitCode).toBe(0);
  expect(planned.output).toContain('2 differences, 1 of which can move money.');
  expect(planned.output).toMatch(
    /Can move money\n {2}buy_airtime: field phone is also read from `msisdn`\n {6}\S*operations\/airtime\.yaml:\d+ {2}\(v1 is asked with phone\)/,
  );
  expect(planned.output).toMatch(/Cannot\n {2}buy_airtime: title: Airtime -> Air time\n/);
  expect(planned.output).toContain('no requests are recorded');
  const id = idIn(planned);
  expect(planned.output).toContain(`compat-gateway apply --plan ${id} --accept-money-changes`);

  const before = service.live.current().hash;
  const refused = await apply('--plan', id);
  expect(refused).toMatchObject({ exitCode: 1, output: expect.stringContaining('field phone is also read from `msisdn`') });
  expect(refused.output).toContain('--accept-money-changes');
  expect(refused.output).not.toContain('title');
  expect(service.live.current().hash).toBe(before);
  expect((await buy({ msisdn: '08031234567' })).body.status).toBe('fail');

  const applied = await apply('--plan', id, '--accept-money-changes');
  expect(applied).toEqual({ exitCode: 0, output: `In use now: ${service.live.current().hash}.\n` });
  expect(service.live.current().hash).not.toBe(before);
  expect((await buy({ msisdn: '08031234567' })).body.status).toBe('success');
  expect(await apply('--plan', id)).toEqual({ exitCode: 0, output: expect.stringContaining('in use already') });
});

test('another folder: the gateway copies its files, removes what is gone, and keeps the cases', async () => {
  const { service } = await open();
  const candidate = copyOf('my candidate');
  edit('operations/airtime.yaml', 'title: Airtime', 'title: Air time', candidate);
  const sms = readFileSync(join(candidate, 'operations', 'sms.yaml'), 'utf8');
  rmSync(join(candidate, 'operations', 'sms.yaml'));
  writeFileSync(join(candidate, 'operations', 'bulk.yaml'), sms);
  rmSync(join(candidate, 'cases'), { recursive: true });
  const planned = await plan(candidate);
  expect(planned.output).toContain('1 difference, none of which moves money.');
  expect(planned.output).toContain(`compat-gateway apply '${candidate}' --plan ${idIn(planned)}`);
  expect(await apply(candidate, '--plan', idIn(planned))).toMatchObject({ exitCode: 0 });
  expect(service.live.current().operations.get('buy_airtime')!.title).toBe('Air time');
  expect(existsSync(join(folder, 'operations', 'sms.yaml'))).toBe(false);
  expect(readFileSync(join(folder, 'operations', 'bulk.yaml'), 'utf8')).toBe(sms);
  expect(existsSync(join(folder, 'cases', 'airtime.yaml'))).toBe(true);
  expect(await plan()).toMatchObject({ output: expect.stringContaining('the candidate is the running set') });
});

test('a change of layout only is no difference, and is applied without acceptance', async () => {
  await open();
  edit('format-a.yaml', 'network: { 1: MTN, 2: AIRTEL,', "network: { 2: AIRTEL, '1': MTN,");
  const planned = await plan('--exit-code');
  expect(planned).toMatchObject({ exitCode: 0, output: expect.stringContaining('the files differ, but they mean the same') });
  expect(await apply('--plan', idIn(planned))).toMatchObject({ exitCode: 0, output: expect.stringContaining('In use now') });
});

test('apply is refused when the files, or the set of the running gateway, have changed since the plan', async () => {
  const { service } = await open();
  const [one, other] = [copyOf('one'), copyOf('other')];
  edit('operations/airtime.yaml', 'title: Airtime', 'title: One', one);
  edit('operations/airtime.yaml', 'title: Airtime', 'title: Other', other);
  const [first, second] = [idIn(await plan(one)), idIn(await plan(other))];
  edit('operations/airtime.yaml', 'title: One', 'title: One, edited', one);
  expect(await apply(one, '--plan', first)).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('these files are not the ones that were planned'),
  });
  expect(await apply(other, '--plan', second)).toMatchObject({ exitCode: 0 });
  edit('operations/airtime.yaml', 'title: One, edited', 'title: One', one);
  expect(await apply(one, '--plan', first)).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('the gateway runs another set'),
  });
  expect(service.live.current().operations.get('buy_airtime')!.title).toBe('Other');
});

test('edits in the gateway’s folder that no plan has seen are not overwritten', async () => {
  await open();
  const candidate = copyOf('candidate');
  edit('operations/airtime.yaml', 'title: Airtime', 'title: Planned', candidate);
  edit('operations/airtime.yaml', 'title: Airtime', 'title: Mine');
  const planned = await plan(candidate);
  const cure = /The gateway's folder has edits that are not in use \(`compat-gateway plan` shows them\)/;
  expect(planned.output).toMatch(cure);
  expect(await apply(candidate, '--plan', idIn(planned))).toMatchObject({
    exitCode: 1,
    output: expect.stringMatching(new RegExp(`folder holds [^]*${cure.source}`)),
  });
  expect(readFileSync(join(folder, 'operations', 'airtime.yaml'), 'utf8')).toContain('title: Mine');
  expect((await plan()).output).not.toMatch(cure);
  edit('operations/airtime.yaml', 'title: Mine', 'title: Airtime');
  expect((await plan(candidate)).output).not.toMatch(cure);
  expect(await apply(candidate, '--plan', idIn(planned))).toMatchObject({ exitCode: 0 });
});

test('for a changed list the plan shows the first difference, however deep it is', async () => {
  await open();
  expect((await fetch(`${house!.url}/api/data_plans`, { headers: { authorization: 'Token sandbox_demo:1234' } })).status).toBe(
    200,
  );
  edit('format-a.yaml', 'network: { 1: MTN, 2: AIRTEL, 3: GLO', 'network: { 1: MTN, 2: GLO, 3: AIRTEL');
  const told = /the list (.+) -> (.+)\n/.exec((await plan()).output);
  expect([told?.[1], told?.[2]]).toEqual([
    expect.stringMatching(/^….*"network_id":"?3/),
    expect.stringMatching(/^….*"network_id":"?2/),
  ]);
});

test('two operators who apply the same plan are both told that it is in use', async () => {
  const { service } = await open();
  const candidate = copyOf('candidate');
  edit('operations/airtime.yaml', 'title: Airtime', 'title: Air time', candidate);
  const id = idIn(await plan(candidate));
  const words = ['apply', candidate, '--plan', id];
  const outcomes = await Promise.all([1, 2].map(() => runCommand(words, { cwd: home, env: settings() })));
  for (const { code, stdout } of outcomes) {
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^(?:In use now: |Nothing to do: )/) });
    expect(stdout).toContain(service.live.current().hash);
  }
});

test('a watcher never reads a half-applied set', async () => {
  const { service, logLines } = await open({ MAPPINGS_WATCH: '1' });
  const before = service.live.current().hash;
  const candidate = copyOf('candidate');
  // Each of the two files alone would make another set, and the first one a broken set.
  edit('replies.yaml', /^  verify:$/m, '  verification:', candidate);
  for (const file of ['cable', 'electricity'])
    edit(`operations/${file}.yaml`, 'include: [verify]', 'include: [verification]', candidate);
  const planned = await plan(candidate);
  expect(await apply(candidate, '--plan', idIn(planned), '--accept-money-changes')).toMatchObject({ exitCode: 0 });
  const { hash } = service.live.current();
  await sleep(1_500);
  expect(service.live.current().hash).toBe(hash);
  const told = logLines
    .map((line) => JSON.parse(line) as { msg?: string; event?: string; mappingHash?: string })
    .filter(({ mappingHash }) => mappingHash !== undefined);
  expect(told.length).toBeGreaterThan(0);
  expect(new Set(told.map(({ mappingHash }) => mappingHash))).toEqual(new Set([hash]));
  expect(hash).not.toBe(before);
  expect(JSON.stringify(told)).not.toContain('mapping_refused');
});

test('recorded requests are replayed, and money changes that only they show need acceptance too', async () => {
  const { service } = await open();
  const sale = seen({ amount: 'integer', mobile_number: 'phone', network: 'integer' }, { format: 'b', count: 41 });
  const traffic = trafficWith({ shapes: [sale] });
  const admin = createServer((request, response) => {
    const body = request.url === '/traffic' ? traffic : { hash: service.live.current().hash, files: service.live.files() };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  const { port, close } = await listen(admin);
  process.env['ADMIN_PORT'] = String(port);
  try {
    edit('format-b.yaml', '2: GLO, 3: AIRTEL', '2: AIRTEL, 3: GLO');
    const { output } = await plan();
    expect(output).toContain('network number 2 of format b: GLO -> AIRTEL');
    expect(output).toMatch(/Replay of 1 recorded shape \(41 requests\) with \d+ made-up requests: \d+ things? would change/);
    expect(output).toMatch(
      /! buy_airtime: v1 call, network AIRTEL -> GLO, GLO -> AIRTEL\n {6}in 1 shape, 41 requests {2}\(v1 is asked for something else\), such as\n {6}POST \/api\/topup\/ amount=100 /,
    );
    expect(output).toContain(
      'buy_airtime: reply to success, pending, failure, network, network_name, plan_network AIRTEL -> GLO, GLO -> AIRTEL',
    );
    expect(JSON.parse((await plan('--json')).output)).toMatchObject({ movesMoney: true, replay: { shapes: 1, requests: 41 } });
    expect((await plan('--no-replay')).output).toContain('Nothing was replayed.');
  } finally {
    await close();
  }
});

test('two folders are compared without a gateway', async () => {
  const candidate = copyOf('candidate');
  edit('callers.yaml', 'patience: 8s', 'patience: 9s', candidate);
  const compared = await plan(candidate, '--against', folder);
  expect(compared).toMatchObject({ exitCode: 0, output: expect.stringContaining('callers axios: patience, ms: 8000 -> 9000') });
  expect(compared.output).toContain('no gateway was asked');
  expect(compared.output).not.toContain('To apply');
  expect((await plan(candidate, '--against', folder, '--exit-code')).exitCode).toBe(3);
  expect((await plan(folder, '--against', folder, '--exit-code')).exitCode).toBe(0);
});

test('a candidate with problems prints what check prints, and the gateway is not asked', async () => {
  edit('format-a.yaml', 'numbers:', 'numbrs:');
  for (const ran of [
    await plan(folder),
    await apply(folder, '--plan', '0'.repeat(16)),
    await plan(MAPPINGS, '--against', folder),
  ])
    expect(ran).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/format-a\.yaml:\d+:1 {2}unknown-key[^]*Nothing is planned or applied before this is mended/),
    });
});

/** The command for a step back that apply prints. */
const printedRollback = (output: string): string[] => /^ {2}compat-gateway rollback (.*)$/m.exec(output)![1]!.split(' ');

test('an applied change is undone by a plan of its own, whose money changes need acceptance too', async () => {
  const { service } = await open();
  const first = service.live.current().hash;
  expect(await rollback()).toMatchObject({ exitCode: 1, output: expect.stringContaining(`has no set before ${first}`) });
  edit('operations/airtime.yaml', 'from: [amount]', 'from: [amount, howmuch]');
  expect((await service.live.reload()).kind).toBe('reloaded');
  const planned = await rollback();
  expect(planned).toMatchObject({ exitCode: 0, output: expect.stringContaining('Can move money') });
  expect(service.live.current().hash).not.toBe(first);
  const words = printedRollback(planned.output);
  expect(words).toEqual([first, '--plan', expect.stringMatching(/^[0-9a-f]{16}$/), '--accept-money-changes']);
  expect(await rollback(...words.slice(0, 3))).toMatchObject({ exitCode: 1, output: expect.stringContaining('Refused') });
  expect(await rollback(...words)).toEqual({ exitCode: 0, output: `In use now: ${first}.\n` });
  expect(service.live.current().hash).toBe(first);
  expect(readFileSync(join(folder, 'operations', 'airtime.yaml'), 'utf8')).not.toContain('howmuch');
  const listed = await history();
  expect(listed.output.split('\n')[0]).toMatch(new RegExp(`^[0-9: -]+  ${first}  went back, plan ${words[2]}`));
  expect(listed.output).toContain('    operations/airtime.yaml');
  // A second step back does not undo the first.
  expect(await rollback()).toMatchObject({ exitCode: 1 });
}, 60_000);

test('a step back overwrites edits that are not in use only on demand', async () => {
  const { service } = await open();
  const first = service.live.current().hash;
  edit('operations/airtime.yaml', 'title: Airtime', 'title: Airtime top-up');
  await service.live.reload();
  edit('operations/data.yaml', 'as: network', 'as: netwerk');
  const planned = await rollback();
  expect(planned.output).toContain('that are not in use');
  const words = printedRollback(planned.output);
  expect(await rollback(...words.filter((word) => word !== '--discard-edits'))).toMatchObject({ exitCode: 1 });
  expect(readFileSync(join(folder, 'operations', 'data.yaml'), 'utf8')).toContain('netwerk');
  expect(await rollback(...words)).toMatchObject({ exitCode: 0 });
  expect(service.live.current().hash).toBe(first);
  expect(readFileSync(join(folder, 'operations', 'data.yaml'), 'utf8')).not.toContain('netwerk');
}, 60_000);

test('the files of an earlier set are written into an empty folder', async () => {
  const { service } = await open();
  const first = service.live.current().hash;
  edit('operations/airtime.yaml', 'title: Airtime', 'title: Airtime top-up');
  await service.live.reload();
  const before = join(home, 'before');
  expect(await history(first, '--write', before)).toMatchObject({ exitCode: 0 });
  expect(readFileSync(join(before, 'operations', 'airtime.yaml'), 'utf8')).not.toContain('top-up');
  expect(await history(first, '--write', before)).toMatchObject({ exitCode: 1, output: expect.stringContaining('not empty') });
  expect(await history('0123456789abcdef')).toMatchObject({ exitCode: 1, output: expect.stringContaining('has no set') });
  expect(await history('x')).toMatchObject({ exitCode: 2 });
  process.env['DATA_DIR'] = join(home, 'another');
  expect(await history()).toMatchObject({ exitCode: 1, output: expect.stringContaining('DATA_DIR must be') });
  expect(existsSync(join(home, 'another'))).toBe(false);
}, 60_000);
