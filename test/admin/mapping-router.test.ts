import express from 'express';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { createMappingRouter } from '../../src/admin/mapping-router';
import { openSetHistory } from '../../src/mapping/set-history';
import { openLiveMapping, type LiveMapping } from '../../src/mapping/live';
import { hashOf } from '../../src/mapping/load';
import { MAPPINGS, copyMappings } from '../mapping/mapping-set';
import { newFolder } from '../new-folder';

let home: string;
let live: LiveMapping;
let app: express.Express;
beforeEach(() => {
  home = newFolder();
  copyMappings(join(home, 'mappings'));
  const opened = openLiveMapping({ folder: join(home, 'mappings'), history: openSetHistory(join(home, 'data')) });
  if ('problems' in opened) throw new Error('the shipped set is sound');
  live = opened.live;
  live.begin();
  app = express().use('/mapping', createMappingRouter(live));
});

interface SentFile {
  readonly name: string;
  readonly text: string;
}

async function runningFiles(): Promise<SentFile[]> {
  const { body } = (await request(app).get('/mapping/files')) as { body: { hash: string; files: SentFile[] } };
  expect(body.hash).toBe(live.current().hash);
  return body.files.map(({ name, text }) => ({ name, text }));
}

test('the set in use is shown, with its files', async () => {
  const { body } = await request(app).get('/mapping');
  expect(body).toMatchObject({ hash: live.current().hash, problems: [] });
  expect(await runningFiles()).toContainEqual({
    name: 'request-id.yaml',
    text: readFileSync(join(MAPPINGS, 'request-id.yaml'), 'utf8'),
  });
});

test('a reload that expects another set, or another running one, is a conflict', async () => {
  const { hash } = live.current();
  const reload = (body: object) => request(app).post('/mapping/reload').send(body);
  expect((await reload({ expected_hash: hash, running_hash: hash })).body).toEqual({
    status: 'unchanged',
    kind: 'unchanged',
    hash,
  });
  expect(await reload({ running_hash: 'another' })).toMatchObject({ status: 409, body: { status: 'running_changed', hash } });
  expect(await reload({ expected_hash: 'another' })).toMatchObject({
    status: 409,
    body: { status: 'edited_meanwhile', found: hash },
  });
  expect(await reload({ hash })).toMatchObject({ status: 400, body: { message: expect.stringContaining('expected_hash') } });
});

test.each(['application/x-www-form-urlencoded', 'text/plain'])(
  'the conditions of a reload hold under the type %s',
  async (type) => {
    const reload = (body: string) => request(app).post('/mapping/reload').type(type).send(body);
    expect(await reload('{"running_hash":"another"}')).toMatchObject({ status: 409, body: { status: 'running_changed' } });
    expect(await reload('who=bola')).toMatchObject({ status: 400 });
    expect(await reload('')).toMatchObject({ status: 200, body: { status: 'unchanged' } });
  },
);

test('a posted set is applied; for an unsound one its problems are returned', async () => {
  const { hash } = live.current();
  const files = await runningFiles();
  const apply = (body: object) => request(app).post('/mapping/apply').send(body);
  expect(await apply({ files, expected_hash: hash, running_hash: hash })).toMatchObject({
    status: 200,
    body: { status: 'unchanged' },
  });
  const broken = files.map((file) => ({ ...file, text: file.text.replace(/^request_id:/m, 'request_ids:') }));
  expect(await apply({ files: broken, expected_hash: hash, running_hash: hash })).toMatchObject({
    status: 422,
    body: { status: 'refused', problems: [{ code: 'unknown-key', file: expect.stringContaining('request-id.yaml') }] },
  });
  expect(await apply({ files, expected_hash: hash, running_hash: 'another' })).toMatchObject({
    status: 409,
    body: { status: 'running_changed' },
  });
});

test('the history shows each change of the set, with the name that its author gave', async () => {
  const { hash } = live.current();
  const files = (await runningFiles()).map((file) => ({ ...file, text: `${file.text}\n# another\n` }));
  const next = hashOf(files.map((file) => ({ ...file, file: file.name })));
  const change = { files, expected_hash: next, running_hash: hash, by: 'rollback', plan: '0123456789abcdef', who: 'ada' };
  expect(
    await request(app)
      .post('/mapping/apply')
      .send({ ...change, who: 'a\nb' }),
  ).toMatchObject({ status: 400 });
  expect(
    await request(app)
      .post('/mapping/apply')
      .send({ ...change, by: 'start' }),
  ).toMatchObject({ status: 400 });
  expect(await request(app).post('/mapping/apply').send(change)).toMatchObject({ status: 200 });
  copyMappings(join(home, 'mappings'));
  expect(await request(app).post('/mapping/reload').send({ who: 'bola' })).toMatchObject({ status: 200 });
  expect(live.history.list()).toMatchObject([
    { hash, by: 'reload', who: 'bola' },
    { hash: next, by: 'rollback', plan: '0123456789abcdef', who: 'ada' },
    { hash, by: 'start' },
  ]);
});

test('a file name that leaves the folder, is no mapping, or names a file twice is refused', async () => {
  const { hash } = live.current();
  const files = await runningFiles();
  writeFileSync(join(home, 'outside.yaml'), 'untouched');
  for (const name of ['../outside.yaml', '/etc/a.yaml', '.hidden.yaml', 'cases/a.yaml', 'a.md', 'request-id.yaml'])
    expect(
      await request(app)
        .post('/mapping/apply')
        .send({ files: [...files, { name, text: 'x: 1' }], expected_hash: hash, running_hash: hash }),
    ).toMatchObject({ status: 400 });
  expect(readFileSync(join(home, 'outside.yaml'), 'utf8')).toBe('untouched');
  expect((await live.reload()).kind).toBe('unchanged');
});

test.each([[{}], [{ files: [] }], [{ files: 'all' }]])('%j is not accepted as a set', async (body) => {
  expect(await request(app).post('/mapping/apply').send(body)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('"files"') },
  });
});
