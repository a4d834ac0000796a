import { execFileSync } from 'node:child_process';
import { closeSync, constants, ftruncateSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, removeFolders } from '../journal/temporary-folder';
import { createOutput, type OutputEvents } from '../../src/telemetry/output';

afterAll(removeFolders);

const ROOT = join(__dirname, '..', '..');
/** A quarter of what an output keeps. */
const LONG = `${'x'.repeat(1024 * 1024 - 1)}\n`;

function noting(): { readonly told: string[]; readonly events: OutputEvents } {
  const told: string[] = [];
  return {
    told,
    events: { onTrouble: (code) => told.push(code), onWell: ({ linesLost }) => told.push(`well, ${linesLost} lost`) },
  };
}

async function makePipe(): Promise<{ readonly reader: number; readonly writer: number }> {
  const path = join(await makeFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(path, 'w') };
}

/** Everything that is there to be read, until the output has written all. */
async function readAll(reader: number, done: Promise<void>): Promise<string> {
  const bytes = Buffer.alloc(1024 * 1024);
  let text = '';
  let isDone = false;
  void done.then(() => (isDone = true));
  for (;;) {
    let count = 0;
    try {
      count = readSync(reader, bytes);
    } catch {
      // Nothing yet.
    }
    text += bytes.toString('latin1', 0, count);
    if (isDone && count === 0) return text;
    if (count === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a line is written soon although nobody asks for it', async () => {
  const { reader, writer } = await makePipe();
  createOutput(writer).write('a line\n');
  const bytes = Buffer.alloc(100);
  for (let count = 0; count === 0; await new Promise((resolve) => setTimeout(resolve, 10))) {
    try {
      count = readSync(reader, bytes);
    } catch {
      // Not yet.
    }
  }
  expect(bytes.toString('utf8', 0, 7)).toBe('a line\n');
});

test('a file takes the lines in their order', async () => {
  const file = join(await makeFolder(), 'log');
  const output = createOutput(openSync(file, 'a'));
  for (let n = 0; n < 3_000; n += 1) output.write(`line ${n} ₦\n`);
  await output.flush();
  expect(readFileSync(file, 'utf8')).toBe(Array.from({ length: 3_000 }, (_, n) => `line ${n} ₦\n`).join(''));
  expect(output.linesLost()).toBe(0);
});

test('a pipe that is not read keeps what has room, loses the rest by count, and is whole when it is read', async () => {
  const { reader, writer } = await makePipe();
  const { told, events } = noting();
  const output = createOutput(writer, events);
  for (let n = 0; n < 10; n += 1) output.write(LONG);
  const lost = output.linesLost();
  expect(lost).toBeGreaterThanOrEqual(5);
  expect(told).toEqual(['no room']);
  const flushed = async (): Promise<void> => {
    while (told.length < 2) await output.flush();
  };
  const text = await readAll(reader, flushed());
  expect(text === LONG.repeat(10 - lost)).toBe(true);
  expect(told).toEqual(['no room', `well, ${lost} lost`]);
  expect(output.linesLost()).toBe(lost);
});

test('a pipe that another process has made one that waits does not make this one wait', async () => {
  const { writer } = await makePipe();
  // Opened for writing without O_NONBLOCK: a write of more than it holds would never come back.
  const output = createOutput(writer);
  output.write(LONG);
  await output.flush();
  expect(output.linesLost()).toBe(0);
});

test('a pipe without a reader is trouble at once', async () => {
  const { reader, writer } = await makePipe();
  const { told, events } = noting();
  const output = createOutput(writer, events);
  closeSync(reader);
  output.write(LONG);
  expect(told).toEqual(['EPIPE']);
});

test('a device that is full is trouble once, a flush of it ends', async () => {
  const { told, events } = noting();
  const output = createOutput(openSync('/dev/full', 'w'), events);
  output.write('a\n');
  await output.flush();
  output.write('b\n');
  await output.flush();
  expect(told).toEqual(['ENOSPC']);
});

test('a descriptor that cannot be written is trouble and nothing more', async () => {
  const file = join(await makeFolder(), 'log');
  closeSync(openSync(file, 'w'));
  const readOnly = openSync(file, 'r');
  expect(() => ftruncateSync(readOnly)).toThrow();
  const { told, events } = noting();
  const output = createOutput(readOnly, events);
  output.write('a\n');
  await output.flush();
  expect(told).toEqual(['EBADF']);
});

test.each(['output.flush().then(() => process.exit(0))', 'process.exit(0)', ''])(
  'loses no line when the process ends by: %s',
  (ending) => {
    const script = `
      const output = require(${JSON.stringify(join(ROOT, 'src', 'telemetry', 'output.ts'))}).createOutput(1);
      for (let n = 0; n < 2000; n += 1) output.write('line ' + n + '\\n');
      ${ending}`;
    const args = ['-r', join(ROOT, 'test', 'journal', 'run-typescript.cjs'), '-e', script];
    const text = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    expect(text).toBe(Array.from({ length: 2_000 }, (_, n) => `line ${n}\n`).join(''));
  },
);
