import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createFileOutput, createOutput, type OutputEvents, type Output, prettyOutput } from '../../src/telemetry/output';
import { createLog } from '../../src/telemetry/log';
import { newFolder } from '../new-folder';

const ROOT = join(__dirname, '..', '..');
/** A line of 1 MiB, a quarter of the bytes that an output keeps. */
const LONG = `${'x'.repeat(1024 * 1024 - 1)}\n`;

function recordEvents(): { readonly told: string[]; readonly events: OutputEvents } {
  const told: string[] = [];
  return {
    told,
    events: { onTrouble: (code) => told.push(code), onWell: ({ linesLost }) => told.push(`well, ${linesLost} lost`) },
  };
}

async function makePipe(): Promise<{ readonly reader: number; readonly writer: number }> {
  const path = join(newFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(path, 'w') };
}

/** Reads everything until the output has written all. */
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

test('a line is written soon without a flush', async () => {
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

test('a file gets the lines in the order in which they were written', async () => {
  const file = join(newFolder(), 'log');
  const output = createOutput(openSync(file, 'a'));
  for (let n = 0; n < 3_000; n += 1) output.write(`line ${n} ₦\n`);
  await output.flush();
  expect(readFileSync(file, 'utf8')).toBe(Array.from({ length: 3_000 }, (_, n) => `line ${n} ₦\n`).join(''));
  expect(output.linesLost()).toBe(0);
});

test('lines for a pipe that is not read wait up to a limit and are then lost and counted; the waiting ones arrive whole', async () => {
  const { reader, writer } = await makePipe();
  const { told, events } = recordEvents();
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

test('a pipe in blocking mode does not block the process', async () => {
  const { writer } = await makePipe();
  // Opened for writing without O_NONBLOCK, so a write larger than the pipe would never return.
  const output = createOutput(writer);
  output.write(LONG);
  await output.flush();
  expect(output.linesLost()).toBe(0);
});

test('a pipe without a reader is reported at once', async () => {
  const { reader, writer } = await makePipe();
  const { told, events } = recordEvents();
  const output = createOutput(writer, events);
  closeSync(reader);
  output.write(LONG);
  expect(told).toEqual(['EPIPE']);
});

test('a full device is reported once, and a flush still ends', async () => {
  const { told, events } = recordEvents();
  const output = createOutput(openSync('/dev/full', 'w'), events);
  output.write('a\n');
  await output.flush();
  output.write('b\n');
  await output.flush();
  expect(told).toEqual(['ENOSPC']);
});

test('a descriptor that cannot be written is reported and throws nothing', async () => {
  const file = join(newFolder(), 'log');
  closeSync(openSync(file, 'w'));
  const readOnly = openSync(file, 'r');
  expect(() => ftruncateSync(readOnly)).toThrow();
  const { told, events } = recordEvents();
  const output = createOutput(readOnly, events);
  output.write('a\n');
  await output.flush();
  expect(told).toEqual(['EBADF']);
});

test.each(['output.flush().then(() => process.exit(0))', 'process.exit(0)', ''])(
  'no line is lost when the process ends by: %s',
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

const openFiles = (): number => readdirSync('/proc/self/fd').length;

describe('a log file', () => {
  test('that is renamed while lines are written has each line whole in one of the files, and the old files are closed', async () => {
    const folder = newFolder();
    const file = join(folder, 'log');
    const output = createFileOutput(file);
    const before = openFiles();
    for (let n = 0; n < 20_000; n += 1) {
      output.write(`line ${n} ₦\n`);
      if (n % 2_000 !== 1_999) continue;
      renameSync(file, join(folder, `log.${n}`));
      expect(output.reopen()).toBeUndefined();
      if (n % 4_000 === 3_999) await new Promise((resolve) => setImmediate(resolve));
    }
    await output.flush();
    expect(openFiles()).toBe(before);
    const names = [...Array.from({ length: 10 }, (_, nth) => `log.${nth * 2_000 + 1_999}`), 'log'];
    const text = names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
    expect(text === Array.from({ length: 20_000 }, (_, n) => `line ${n} ₦\n`).join('')).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test('on a full disk is replaced by reopen; a line that was written in part is whole in the new file', async () => {
    const disk = join(newFolder(), 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
    try {
      const file = join(disk, 'log');
      const { told, events } = recordEvents();
      const output = createFileOutput(file, events);
      const lines = Array.from({ length: 10_000 }, (_, n) => `line ${n}\n`);
      for (const line of lines) output.write(line);
      await output.flush();
      expect(told).toEqual(['ENOSPC']);
      // An operator deletes the file to make room. A write that is under way still goes into it.
      const old = openSync(file, 'r');
      rmSync(file);
      execFileSync('mount', ['-o', 'remount,size=512k', disk]);
      expect(output.reopen()).toBeUndefined();
      await output.flush();
      const first = readFileSync(old, 'utf8');
      closeSync(old);
      const whole = first.slice(0, first.lastIndexOf('\n') + 1);
      expect(whole.length).toBeGreaterThan(1_000);
      expect(whole + readFileSync(file, 'utf8') === lines.join('')).toBe(true);
      expect(told).toEqual(['ENOSPC', 'well, 0 lost']);
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });

  test('that cannot be opened anew is continued in the old file, and reopen returns the error code', async () => {
    const folder = newFolder();
    const file = join(folder, 'log');
    const output = createFileOutput(file);
    renameSync(file, `${file}.1`);
    mkdirSync(file);
    expect(output.reopen()).toBe('EISDIR');
    output.write('a line\n');
    await output.flush();
    expect(readFileSync(`${file}.1`, 'utf8')).toBe('a line\n');
  });

  test('that ends with half a line gets a line break first, so that the next line is whole', async () => {
    const file = join(newFolder(), 'log');
    writeFileSync(file, '{"event":"whole"}\n{"event":"req');
    const output = createFileOutput(file);
    output.write('{"event":"next"}\n');
    await output.flush();
    expect(readFileSync(file, 'utf8')).toBe('{"event":"whole"}\n{"event":"req\n{"event":"next"}\n');
  });

  test('is appended to and keeps its content; a folder, a device or a pipe is refused', async () => {
    const folder = newFolder();
    const file = join(folder, 'log');
    writeFileSync(file, 'before\n');
    chmodSync(file, 0o600);
    const output = createFileOutput(file);
    output.write('after\n');
    await output.flush();
    expect(readFileSync(file, 'utf8')).toBe('before\nafter\n');
    expect(() => createFileOutput(join(folder, 'none', 'log'))).toThrow('ENOENT');
    expect(() => createFileOutput(folder)).toThrow('EISDIR');
    expect(() => createFileOutput('/dev/null')).toThrow('not a file');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(() => createFileOutput(join(folder, 'pipe'))).toThrow('ENXIO');
  });
});

function openOutput(hasColour = false) {
  const written: string[] = [];
  const output: Output = {
    write: (line) => void written.push(line),
    linesLost: () => 3,
    flush: () => Promise.resolve(),
    reopen: () => 'ENOENT',
  };
  return { written, pretty: prettyOutput(output, hasColour) };
}

test('the pretty output prints a log line as one readable line, and other text unchanged', () => {
  const { written, pretty } = openOutput();
  const log = createLog('info', pretty);
  log.warn('wrong_pin', { fingerprint: 'f00d', detail: 'two\nlines \u001b[31mred' });
  pretty.write('compat-gateway serves http://127.0.0.1:8080\n');
  expect(written).toEqual([
    expect.stringMatching(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: wrong_pin \{"fingerprint":"f00d","detail":"two\\nlines .*red"\}\n$/),
    'compat-gateway serves http://127.0.0.1:8080\n',
  ]);
  // A caller's text must not send control sequences to the operator's terminal.
  expect(written.join('')).not.toContain('\u001b');
});

test('the pretty output has colours only when they are switched on', () => {
  const { written, pretty } = openOutput(true);
  createLog('info', pretty).info('request');
  expect(written.join('')).toContain('\u001b[');
});

test('the pretty output passes flush, reopen and the count of lost lines on to its output', async () => {
  const { pretty } = openOutput();
  await pretty.flush();
  expect([pretty.linesLost(), pretty.reopen()]).toEqual([3, 'ENOENT']);
  expect(createLog('info', pretty).linesLost()).toBe(3);
});
