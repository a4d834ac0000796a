/**
 * Lines to standard output or standard error, which may be a full disk, a closed pipe or a pipe that is not read. What cannot
 * be written waits in bounded memory and is tried again; a line that finds no room is lost and counted. A sale never waits for
 * it: nothing here throws, and neither the event loop nor a thread of the pool, which the journal needs, is kept by a reader.
 */
import { constants, fstatSync, openSync, write as writeLater, writeSync } from 'node:fs';

export interface Output {
  write(line: string): void;
  /** Lines that found no room, since the start. */
  linesLost(): number;
  /** Resolves when all is written, or when a second has passed. */
  flush(): Promise<void>;
}

export interface OutputEvents {
  /** Writing fails, or nothing has been taken for five seconds. Once, until all that waited is written. */
  readonly onTrouble?: (code: string) => void;
  readonly onWell?: (trouble: { readonly linesLost: number; readonly durationMs: number }) => void;
  /** Others write to the same place: never more at once than a pipe takes as one piece, so that no line is torn by theirs. */
  readonly isShared?: boolean;
}

/** POSIX: a write of so many bytes to a pipe is not mixed with others. Linux has 4,096. */
const PIECE_BYTES = 4_096;

// A write for every line costs more than the line: they go out together, and none waits longer than this.
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
  return new DescriptorOutput(descriptor, events);
}

class DescriptorOutput implements Output {
  readonly #target: Target;
  readonly #events: OutputEvents;
  #lines: string[] = [];
  #chars = 0;
  /** What is being written: after a partial write its rest, so that a line that was cut is completed. */
  #chunk: Buffer = Buffer.alloc(0);
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #failingSince = 0;
  #lost = 0;
  #trouble: { readonly lostBefore: number; readonly sinceMs: number } | undefined;

  constructor(descriptor: number, events: OutputEvents) {
    this.#target = openTarget(descriptor);
    this.#events = events;
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

  #attempt(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isWriting) return;
    const { fd, neverWaits } = this.#target;
    while (this.#takeChunk()) {
      if (!neverWaits) {
        this.#isWriting = true;
        return writeLater(fd, this.#chunk, (error, bytes) => {
          this.#isWriting = false;
          if (error === null && bytes > 0) this.#wrote(bytes);
          else return this.#failed(error?.code ?? 'nothing was taken');
          this.#attempt();
        });
      }
      try {
        this.#wrote(writeSync(fd, this.#chunk));
      } catch (error) {
        return this.#failed((error as NodeJS.ErrnoException).code ?? 'unknown');
      }
    }
    this.#endTrouble();
  }

  #takeChunk(): boolean {
    if (this.#chunk.length > 0) return true;
    if (this.#lines.length === 0) return false;
    let count = this.#events.isShared === true ? this.#linesOfPiece() : 0;
    for (let chars = 0; this.#events.isShared !== true && count < this.#lines.length && chars < CHUNK_CHARS; count += 1)
      chars += this.#lines[count]!.length;
    const text = this.#lines.splice(0, count).join('');
    this.#chars -= text.length;
    this.#chunk = Buffer.from(text);
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
    this.#chunk = this.#chunk.subarray(bytes);
    this.#failures = 0;
  }

  #failed(code: string): void {
    const nowMs = performance.now();
    if (this.#failures === 0) this.#failingSince = nowMs;
    // A full pipe is what every reader leaves now and then; one that is never read is trouble.
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

  /** One last time, without a word: a process that ends cannot wait. */
  #writeLast(): void {
    // What a thread of the pool is writing is its own; whole lines follow it.
    if (this.#isWriting) this.#chunk = Buffer.alloc(0);
    try {
      while (this.#takeChunk()) this.#wrote(writeSync(this.#target.fd, this.#chunk));
    } catch {
      // The lines are lost.
    }
  }
}

interface Target {
  readonly fd: number;
  /** Whether a write that nobody takes fails at once (EAGAIN). */
  readonly neverWaits: boolean;
}

/**
 * A regular file is written by a thread of the pool, since a disk may be slow. A pipe or a terminal is opened once more, for this
 * process alone: "never wait" is a state of the open file, and others that share it may undo it.
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
      // Node makes a pipe or a socket one that never waits as soon as its stream exists.
      void (descriptor === 1 ? process.stdout : process.stderr);
      return { fd: descriptor, neverWaits: true };
    }
  } catch {
    // A descriptor that cannot be looked at is written as a file; what comes of it is counted.
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
