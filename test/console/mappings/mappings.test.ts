import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buyAirtime, openHouse, send, type House } from '../../flows/house';
import { MAPPINGS, copyMappings, editFile } from '../../mapping/mapping-set';
import { consoleOf, hiddenIn, type ConsoleAsked, type Shown } from '../ask-console';

const AIRTIME = 'operations/airtime.yaml';

let house: House;
let asked: ConsoleAsked;
beforeEach(async () => {
  house = await openHouse({ changeMappings: () => undefined });
  asked = consoleOf(house.service.adminUrl);
});
afterEach(() => house.close());

const path = (): string => join(house.mappingsDir, AIRTIME);
const textOf = (): string => readFileSync(path(), 'utf8');
const edit = (from: string, to: string): void => editFile(path(), from, to);
const running = (): string => house.service.live.current().hash;

/** Edits the file in the folder, and plans that. */
function planEdit(from: string, to: string): Promise<Shown> {
  edit(from, to);
  return asked.post('/mappings/plan', { kind: 'folder' });
}
const apply = ({ html }: Shown, ticks: Readonly<Record<string, string>> = {}): Promise<Shown> =>
  asked.post('/mappings/apply', { plan: hiddenIn(html, 'plan'), ...ticks });

test('a broken file is shown at its place, and the set in use stays', async () => {
  const before = running();
  edit('as: naira', 'as: niara');
  const refused = await asked.post('/mappings/reload');
  expect(refused).toMatchObject({ status: 409, text: expect.stringContaining('Refused: the files have problems') });
  expect(refused.text).toMatch(/airtime\.yaml:\d+:\d+ .*niara/);
  expect(refused.text).toContain('has edits that are not in use');
  expect(running()).toBe(before);
  const file = await asked.get(`/mappings/file?name=${AIRTIME}`);
  const line =
    textOf()
      .split('\n')
      .findIndex((one) => one.includes('niara')) + 1;
  expect(file.html).toMatch(new RegExp(`<li id="line-${line}" class="marked">[\\s\\S]*?niara[\\s\\S]*?class="in-place"`));
  expect((await asked.get('/mappings/check')).text).toContain('cannot be taken into use');
  // The page restores the folder when asked to.
  const plan = await asked.post('/mappings/plan', { kind: 'set', set: before });
  expect(plan.text).toContain(`The edits in ${AIRTIME}, which are not in use, are lost.`);
  expect((await apply(plan)).status).toBe(400);
  expect(textOf()).toContain('niara');
  expect((await apply(plan, { edits: 'yes' })).text).toContain('The folder holds the set in use again.');
  expect(textOf()).toBe(readFileSync(join(MAPPINGS, AIRTIME), 'utf8'));
});

test('a folder that is gone gets the set in use again', async () => {
  rmSync(house.mappingsDir, { recursive: true });
  const plan = await asked.post('/mappings/plan', { kind: 'set', set: running() });
  expect((await apply(plan)).text).toContain('The folder holds the set in use again.');
  expect(textOf()).toBe(readFileSync(join(MAPPINGS, AIRTIME), 'utf8'));
});

test('an edit of the folder is planned, applied after its money changes are accepted, and undone', async () => {
  const before = running();
  const planned = await planEdit('from: [amount]', 'from: [amount, howmuch]');
  expect(planned.text).toContain('field amount is also read from howmuch');
  expect(planned.text).toContain('Can move money');
  expect(await apply(planned)).toMatchObject({ status: 400, text: expect.stringContaining('can move money') });
  expect(running()).toBe(before);
  expect((await apply(planned, { money: 'yes' })).text).toContain('In use now, exactly as planned.');
  expect((await asked.get('/mappings')).text).toContain('holds this set');
  const sale = { network: 1, mobile_number: '08031234567', howmuch: 100, Ported_number: true };
  expect((await send(house.url, '/api/topup/', sale)).body).toMatchObject({ status: 'success' });

  const history = await asked.get('/mappings/history');
  expect(history.text).toMatch(new RegExp(`applied, by console.*${AIRTIME}.*in use.*start of the gateway`));
  const back = await asked.post('/mappings/plan', { kind: 'set', set: before });
  expect(back.text).toContain('no longer read from howmuch');
  expect((await apply(back, { money: 'yes' })).status).toBe(200);
  expect(running()).toBe(before);
  expect(house.service.live.history.list()[0]).toMatchObject({ hash: before, by: 'rollback', who: 'console' });
  // The page of the plan may still be open in another window, whose operator has not seen the way back.
  expect(await apply(planned, { money: 'yes' })).toMatchObject({
    status: 409,
    text: expect.stringContaining('another set into use'),
  });
  expect(running()).toBe(before);
});

test('a plan is not applied once the set in use or the folder has changed', async () => {
  const planned = await planEdit('title: Airtime', 'title: Airtime top-up');
  edit('from: [amount]', 'from: [amount, howmuch]');
  expect(await apply(planned)).toMatchObject({ status: 409, text: expect.stringContaining('edited since this was planned') });
  expect((await house.service.live.reload()).kind).toBe('reloaded');
  const after = running();
  expect(await apply(planned)).toMatchObject({ status: 409, text: expect.stringContaining('another set into use') });
  expect(running()).toBe(after);
  expect(await asked.post('/mappings/apply', { plan: '0123456789abcdef' })).toMatchObject({ status: 409 });
});

test('an edit that is saved while the plan is made is not overwritten', async () => {
  const { live } = house.service;
  const other = join(house.mappingsDir, 'format-b.yaml');
  const files = live.files.bind(live);
  // The page compares the folder with the files in use once it has read it.
  jest.spyOn(live, 'files').mockImplementationOnce(() => {
    writeFileSync(other, `${readFileSync(other, 'utf8')}# saved meanwhile\n`);
    return files();
  });
  const planned = await planEdit('title: Airtime', 'title: Airtime top-up');
  expect(await apply(planned)).toMatchObject({ status: 409, text: expect.stringContaining('edited since this was planned') });
  expect(readFileSync(other, 'utf8')).toContain('# saved meanwhile');
});

test('a plan that is applied twice, by a double click, is reported in use both times', async () => {
  const planned = await planEdit('title: Airtime', 'title: Airtime top-up');
  for (const told of [await apply(planned), await apply(planned)]) expect(told.text).toContain('In use now, exactly as planned.');
  expect(house.service.live.history.list()).toHaveLength(2);
});

test('a plan of edits with a problem shows the problem at its place', async () => {
  const planned = await planEdit('as: naira', 'as: niara');
  expect(planned).toMatchObject({ status: 422, text: expect.stringMatching(/airtime\.yaml:\d+:\d+ .*niara/) });
});

test('another folder is planned; its contents are not shown when it is no set', async () => {
  const elsewhere = copyMappings();
  editFile(join(elsewhere, AIRTIME), 'title: Airtime', 'title: Airtime top-up');
  const planned = await asked.post('/mappings/plan', { kind: 'path', folder: elsewhere });
  expect(planned.text).toContain('1 difference, none of which moves money.');
  writeFileSync(join(elsewhere, 'callers.yaml'), 'a line of somebody: else\n');
  const broken = await asked.post('/mappings/plan', { kind: 'path', folder: elsewhere });
  expect(broken.status).toBe(422);
  expect(broken.html).not.toContain('class="frame"');
  expect((await asked.post('/mappings/plan', { kind: 'path', folder: join(elsewhere, 'not-there') })).status).toBe(400);
  const tooLong = await asked.post('/mappings/plan', { kind: 'path', folder: `/${'x'.repeat(300)}` });
  expect(tooLong).toMatchObject({ status: 400, text: expect.stringContaining('ENAMETOOLONG') });
  expect((await apply(planned)).text).toContain('In use now');
  expect(textOf()).toContain('top-up');
});

test('an earlier set is shown as it was, with what has changed since', async () => {
  const before = running();
  edit('title: Airtime', 'title: Airtime top-up');
  await house.service.live.reload();
  const set = await asked.get(`/mappings/sets/${before}?file=${encodeURIComponent(AIRTIME)}`);
  expect(set.text).toContain('title: Airtime');
  expect(set.text).not.toContain('top-up');
  const compared = await asked.get(`/mappings/compare?from=${before}&to=${running()}`);
  expect(compared.text).toContain('title: Airtime -> Airtime top-up');
  expect(compared.text).toMatch(/- *title: Airtime/);
  expect((await asked.get('/mappings/sets/0123456789abcdef')).status).toBe(404);
  expect((await asked.get('/mappings/file?name=../../etc/passwd')).status).toBe(404);
});

const [FINGERPRINT, KEY] = ['0123456789abcdef0123456789abcdef', 'acme_live_1234567890abcdef'];

test.each([
  ['in place of a fingerprint', `${KEY}: { format: a }`],
  ['beside a fingerprint', `${FINGERPRINT}: ${KEY}:1234`],
  ['in a comment', `# Ada: ${KEY}:1234\n    ${FINGERPRINT}: { format: a }`],
])('a key that stands in a file by mistake, %s, is masked', async (_place, entry) => {
  writeFileSync(
    join(house.mappingsDir, 'callers.yaml'),
    `${readFileSync(join(MAPPINGS, 'callers.yaml'), 'utf8').replace(/^ {2}keys:.*$/m, '')}\n  keys:\n    ${entry}\n`,
  );
  const page = await asked.get('/mappings/file?name=callers.yaml');
  expect(page.html).not.toContain(KEY);
  for (const shown of [
    await asked.post('/mappings/reload'),
    await asked.post('/mappings/plan', { kind: 'folder' }),
    await asked.get('/mappings/check'),
  ])
    expect(shown.html).not.toContain(KEY);
});

test('coverage and drift show what their commands print', async () => {
  const coverage = await asked.get('/mappings/coverage');
  expect(coverage.text).toMatch(/rows of cases were played: all as expected/);
  expect(coverage.text).toMatch(/spelling \d+ \d+ 100 %/);
  await send(house.url, '/api/topup/', {
    network: 1,
    mobile_number: '08031234567',
    amount: 100,
    Ported_number: true,
    colour: 'x',
  });
  const drift = await asked.get('/mappings/drift');
  expect(drift.text).toContain('colour in buy_airtime: 1 times');
}, 60_000);

test('drift names callers by their titles', async () => {
  await house.close();
  house = await openHouse({ callers: { sandbox_demo: { title: 'Ada' } } });
  asked = consoleOf(house.service.adminUrl);
  // Fewer purchases may have been a test.
  for (let nth = 0; nth < 10; nth += 1)
    await buyAirtime(house, { 'request-id': `r${nth}` }, { headers: { 'User-Agent': 'GuzzleHttp/7' } });
  expect((await asked.get('/mappings/drift')).text).toContain('Ada looks like laravel-husmodata');
});
