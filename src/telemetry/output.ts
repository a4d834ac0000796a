/**
 * Writes lines to standard output, standard error or a file. The target may be a full disk, a closed pipe or a pipe that is not read: lines then
 * wait in bounded memory and are tried again, and a line that finds no room is lost and counted. A sale never waits for a line: nothing here throws,
 * and a slow reader blocks neither the event loop nor a thread of the pool, which the journal needs.
 */
import { closeSync, constants, fstatSync, openSync, readSync, write as writeLater, writeSync } from 'node:fs';
import type * as PinoPretty from 'pino-pretty';

export interface Output {
  write(line: string): void;
  /** How many lines were lost since the start. */
  linesLost(): number;
  /** Resolves when all is written, or when a second has passed. */
  flush(): Promise<void>;
  /**
   * Opens a file target anew by its name, after a log rotation. No line is lost or torn. Returns the system's error code where the file cannot be
   * opened: then lines still go into the old file.
   */
  reopen(): string | undefined;
}

export interface OutputEvents {
  /** Called when writing fails, or when nothing has been taken for five seconds. Once, until all waiting lines are written. */
  readonly onTrouble?: (code: string) => void;
  readonly onWell?: (trouble: { readonly linesLost: number; readonly durationMs: number }) => void;
  /** Other processes write to the same target: each write is at most what a pipe takes as one piece, so that no line is torn. */
  readonly isShared?: boolean;
}

/** POSIX: a write of so many bytes to a pipe is not mixed with others. Linux has 4,096. */
const PIECE_BYTES = 4_096;

// A write for each line would cost more than the line: lines are written together, and none waits longer than this.
const TOGETHER_CHARS = 32 * 1024;
const TOGETHER_MS = 100;
const CHUNK_CHARS = 64 * 1024;
/** About ten thousand lines. */
const WAITING_CHARS_MAX = 4 * 1024 * 1024;
const STALL_MS = 5_000;
const RETRY_FIRST_MS = 10;
const RETRY_MOST_MS = 1_000;
const FLUSH_MS = 1_000;
const FLUSH_LOOK_MS = 5;

export function createOutput(descriptor: number, events: OutputEvents = {}): Output {
  return new DescriptorOutput(openTarget(descriptor), events);
}

/** Throws the system's error where the file cannot be opened now; later on that is trouble like any other. */
export function createFileOutput(path: string, events: OutputEvents = {}): Output {
  const output = new DescriptorOutput({ fd: openFile(path), neverWaits: false }, events, path);
  if (endsInPartialLine(path)) output.write('\n');
  return output;
}

class DescriptorOutput implements Output {
  #target: Target;
  /** Replaces the target as soon as no write to it is under way. */
  #next: number | undefined;
  readonly #events: OutputEvents;
  readonly #path: string | undefined;
  #lines: string[] = [];
  #chars = 0;
  /** The bytes of the write under way, and how many of them are written: the rest follows, so that a cut line is completed. */
  #chunk: Buffer = Buffer.alloc(0);
  #written = 0;
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #failingSince = 0;
  #lost = 0;
  #trouble: { readonly lostBefore: number; readonly sinceMs: number } | undefined;

  constructor(target: Target, events: OutputEvents, path?: string) {
    this.#target = target;
    this.#events = events;
    this.#path = path;
    process.on('exit', () => this.#writeLast());
  }

  write(line: string): void {
    if (this.#chars + line.length > WAITING_CHARS_MAX) {
      this.#beginTrouble('no room');
      this.#lost += 1;
      return;
    }
    this.#lines.push(line);
    this.#chars += line.length;
    if (this.#failures > 0 || this.#isWriting) return;
    if (this.#chars >= TOGETHER_CHARS) this.#attempt();
    else this.#timer ??= setTimeout(() => this.#attempt(), TOGETHER_MS).unref();
  }

  linesLost(): number {
    return this.#lost;
  }

  async flush(): Promise<void> {
    const untilMs = performance.now() + FLUSH_MS;
    while ((this.#isWriting || this.#takeChunk()) && performance.now() < untilMs) {
      this.#attempt();
      await new Promise((resolve) => setTimeout(resolve, FLUSH_LOOK_MS));
    }
  }

  reopen(): string | undefined {
    if (this.#path === undefined) return undefined;
    try {
      const next = openFile(this.#path);
      if (this.#next !== undefined) closeSync(this.#next);
      this.#next = next;
    } catch (error) {
      return codeOf(error);
    }
    this.#attempt();
    return undefined;
  }

  #attempt(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isWriting) return;
    this.#takeNext();
    const { fd, neverWaits } = this.#target;
    while (this.#takeChunk()) {
      if (!neverWaits) {
        this.#isWriting = true;
        return writeLater(fd, this.#chunk, this.#written, (error, bytes) => {
          this.#isWriting = false;
          if (error === null && bytes > 0) this.#wrote(bytes);
          else return this.#failed(error?.code ?? 'nothing was taken');
          this.#attempt();
        });
      }
      try {
        this.#wrote(writeSync(fd, this.#chunk, this.#written));
      } catch (error) {
        return this.#failed(codeOf(error));
      }
    }
    this.#endTrouble();
  }

  /** A line of which the old file has only a part is written whole to the new one: the old disk may be full and never take the rest. */
  #takeNext(): void {
    if (this.#next === undefined) return;
    try {
      closeSync(this.#target.fd);
    } catch {
      // An error at the closing of a file concerns earlier writes, which cannot be repeated.
    }
    this.#target = { fd: this.#next, neverWaits: false };
    this.#next = undefined;
    this.#failures = 0;
    if (this.#written > 0) this.#written = this.#chunk.lastIndexOf('\n', this.#written - 1) + 1;
  }

  #takeChunk(): boolean {
    if (this.#written < this.#chunk.length) return true;
    if (this.#lines.length === 0) return false;
    let count = this.#events.isShared === true ? this.#linesOfPiece() : 0;
    for (let chars = 0; this.#events.isShared !== true && count < this.#lines.length && chars < CHUNK_CHARS; count += 1)
      chars += this.#lines[count]!.length;
    const text = this.#lines.splice(0, count).join('');
    this.#chars -= text.length;
    this.#chunk = Buffer.from(text);
    this.#written = 0;
    return true;
  }

  /** At least one: a longer line may be torn. */
  #linesOfPiece(): number {
    let count = 1;
    for (let bytes = Buffer.byteLength(this.#lines[0]!); count < this.#lines.length; count += 1) {
      bytes += Buffer.byteLength(this.#lines[count]!);
      if (bytes > PIECE_BYTES) break;
    }
    return count;
  }

  #wrote(bytes: number): void {
    this.#written += bytes;
    this.#failures = 0;
  }

  #failed(code: string): void {
    const nowMs = performance.now();
    if (this.#failures === 0) this.#failingSince = nowMs;
    // Every reader leaves a pipe full now and then. Only a pipe that is not read for long is trouble.
    if (code !== 'EAGAIN' || nowMs - this.#failingSince >= STALL_MS) this.#beginTrouble(code === 'EAGAIN' ? 'not read' : code);
    const delayMs = Math.min(RETRY_MOST_MS, RETRY_FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#timer = setTimeout(() => this.#attempt(), delayMs).unref();
  }

  #beginTrouble(code: string): void {
    if (this.#trouble !== undefined) return;
    this.#trouble = { lostBefore: this.#lost, sinceMs: performance.now() };
    this.#events.onTrouble?.(code);
  }

  #endTrouble(): void {
    if (this.#trouble === undefined) return;
    const { lostBefore, sinceMs } = this.#trouble;
    this.#trouble = undefined;
    this.#events.onWell?.({ linesLost: this.#lost - lostBefore, durationMs: Math.round(performance.now() - sinceMs) });
  }

  /** The last write of a process that ends: it cannot wait, and reports nothing. */
  #writeLast(): void {
    // Bytes that a thread of the pool is writing are left to it; whole lines follow them.
    if (this.#isWriting) this.#written = this.#chunk.length;
    try {
      while (this.#takeChunk()) this.#wrote(writeSync(this.#target.fd, this.#chunk, this.#written));
    } catch {
      // The lines are lost.
    }
  }
}

interface Target {
  readonly fd: number;
  /** Whether a write to a full pipe fails at once (EAGAIN) instead of blocking. */
  readonly neverWaits: boolean;
}

/**
 * A regular file is written by a thread of the pool, because a disk may be slow. A pipe or a terminal is opened once more for this process alone:
 * O_NONBLOCK is a state of the open file description, and other processes that share it may reset it.
 */
function openTarget(descriptor: number): Target {
  try {
    const kind = fstatSync(descriptor);
    if (kind.isFIFO() || kind.isCharacterDevice()) {
      const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
      const fd = reopen(descriptor, O_WRONLY | O_NONBLOCK | O_NOCTTY);
      if (fd !== undefined) return { fd, neverWaits: true };
    }
    if (kind.isFIFO() || kind.isSocket()) {
      // Node sets O_NONBLOCK on a pipe or a socket as soon as its stream exists.
      void (descriptor === 1 ? process.stdout : process.stderr);
      return { fd: descriptor, neverWaits: true };
    }
  } catch {
    // A descriptor that fstat cannot examine is treated as a file. If writing fails, lines are lost and counted.
  }
  return { fd: descriptor, neverWaits: false };
}

function reopen(descriptor: number, flags: number): number | undefined {
  try {
    return openSync(`/proc/self/fd/${descriptor}`, flags);
  } catch {
    return undefined;
  }
}

/** Readable by the group, as logs of a machine are. `O_NONBLOCK` refuses a pipe without a reader instead of waiting for one. */
function openFile(path: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK, O_NOCTTY } = constants;
  const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY, 0o640);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw Object.assign(new Error(`${path} is not a file`), { code: 'EINVAL' });
}

/** A kill on a full disk, or a power cut, leaves half a line at the end of the file: a line break keeps the next line apart from it. */
function endsInPartialLine(path: string): boolean {
  try {
    const fd = openSync(path, 'r');
    try {
      const { size } = fstatSync(fd);
      const last = Buffer.alloc(1);
      return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
    } finally {
      closeSync(fd);
    }
  } catch {
    // The log may be written but not read.
    return false;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

/** An output that formats log lines for people at a terminal, and passes them on to `output`. */
export function prettyOutput(output: Output, hasColour: boolean): Output {
  const pretty = loadPretty().prettyFactory({
    ...{ messageKey: 'event', levelKey: 'level', timestampKey: 'time' },
    ...{ colorize: hasColour, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' },
  });
  return {
    // A text that is no log line, such as the greeting, stays as it is.
    write: (line) => output.write(line.startsWith('{') ? pretty(line) : line),
    linesLost: () => output.linesLost(),
    flush: () => output.flush(),
    reopen: () => output.reopen(),
  };
}

/** Loaded only where it is used. */
function loadPretty(): typeof PinoPretty {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- A plain `require` is what the bundler leaves where it stands.
  return require('pino-pretty') as typeof PinoPretty;
}
