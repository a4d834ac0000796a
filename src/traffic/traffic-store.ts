/**
 * Keeps the traffic counters in memory and in one small file, with a line for each. Several gateways on one data folder add to the
 * same file in turns: only one of them at a time can create the file of the next state.
 */
import { constants } from 'node:fs';
import { mkdir, open, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { oneByOne } from '../domain/steps';
import { Counters, TALLY_KINDS, TALLY_ROOM, type Added, type Tally, type TallyRoom } from './counters';

export interface TrafficStore {
  /** Adds all tallies or, if it rejects, none. `forgotten` is the number of requests that the recorder had no room for. */
  add(tallies: readonly Tally[], forgotten: number, nowMs: number): Promise<Added>;
  read(): Promise<Counters>;
}

const PROGRAM = 'compat-gateway traffic';
const VERSION = 1;
/** The first line of the file; every other line is a tally. */
const HEAD = z.object({ program: z.literal(PROGRAM), version: z.literal(VERSION), sinceMs: z.number(), forgotten: z.number() });
const COUNT = z.number();
const LINE = z.tuple([z.enum(TALLY_KINDS), z.string(), z.string(), COUNT, COUNT, COUNT, z.record(z.string(), COUNT)]);
const TURN_TRIES = 40;
const TURN_PAUSE_MS = 50;
/** A process that has not finished the next file after this time has died. */
const TURN_MS_MAX = 30_000;
/** How many lines are made without a pause, so that sales need not wait for long. */
const LINES_AT_ONCE = 250;

/** Keeps counters in memory only: for tests, and if the file cannot be used. */
export function createMemoryStore(nowMs: number, room?: TallyRoom): TrafficStore {
  const counters = new Counters(nowMs, room);
  return { add: async (...added) => counters.add(...added), read: async () => counters };
}

/** Opens the store of a folder. Rejects with a sentence if its file is of something else, and does not change the file then. */
export async function openTrafficStore(dir: string, nowMs: number, room: TallyRoom = TALLY_ROOM): Promise<TrafficStore> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const file = new TrafficFile(join(dir, 'shapes.jsonl'), nowMs, room);
  await file.read();
  const inTurn = oneByOne();
  return {
    add: (...added) => inTurn(() => file.add(...added)),
    read: () => inTurn(() => file.read()),
  };
}

class TrafficFile {
  readonly #path: string;
  readonly #nextPath: string;
  readonly #sinceMs: number;
  readonly #room: TallyRoom;
  /** The counters as this process last read or wrote them, with the state of the file at that time. */
  #known: { readonly state: string; readonly counters: Counters } | undefined;

  constructor(path: string, nowMs: number, room: TallyRoom) {
    this.#path = path;
    this.#nextPath = `${path}.next`;
    this.#sinceMs = nowMs;
    this.#room = room;
  }

  async read(): Promise<Counters> {
    const state = await this.#state();
    if (this.#known?.state !== state) this.#known = { state, counters: await this.#load() };
    return this.#known.counters;
  }

  async add(...added: Parameters<Counters['add']>): Promise<Added> {
    const next = await this.#takeTurn();
    try {
      const counters = await this.read();
      const result = counters.add(...added);
      await writeFile(next, linesOf(counters));
      await next.close();
      await rename(this.#nextPath, this.#path);
      this.#known = { state: await this.#state(), counters };
      return result;
    } catch (error) {
      // The counters in memory have tallies that were not written, so the next call reads the file again.
      this.#known = undefined;
      await next.close().catch(() => undefined);
      await rm(this.#nextPath, { force: true });
      throw error;
    }
  }

  /** Creates the file of the next state, which only one gateway at a time can do. */
  async #takeTurn(): Promise<FileHandle> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await open(this.#nextPath, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries === TURN_TRIES) throw error;
      }
      const begun = await stat(this.#nextPath).catch(() => undefined);
      if (begun !== undefined && Date.now() - begun.mtimeMs > TURN_MS_MAX) await rm(this.#nextPath, { force: true });
      else await sleep(TURN_PAUSE_MS);
    }
  }

  async #state(): Promise<string> {
    const found = await stat(this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return found === undefined ? 'none' : `${found.ino} ${found.size} ${found.mtimeMs}`;
  }

  async #load(): Promise<Counters> {
    if ((await this.#state()) === 'none') return new Counters(this.#sinceMs, this.#room);
    const file = await open(this.#path);
    try {
      let counters: Counters | undefined;
      const tallies: Tally[] = [];
      for await (const line of file.readLines()) {
        if (counters === undefined) counters = readHead(line, this.#path, this.#room);
        else tallies.push(...readLine(line));
      }
      counters ??= new Counters(this.#sinceMs, this.#room);
      counters.add(tallies, 0, 0);
      return counters;
    } finally {
      await file.close().catch(() => undefined);
    }
  }
}

async function* linesOf(counters: Counters): AsyncGenerator<string> {
  const { sinceMs, forgotten } = counters;
  let text = `${JSON.stringify({ program: PROGRAM, version: VERSION, sinceMs, forgotten } satisfies z.infer<typeof HEAD>)}\n`;
  let lines = 0;
  for (const { kind, owner, body, count, firstSeenMs, lastSeenMs, refusals } of counters.tallies()) {
    text += `${JSON.stringify([kind, owner, body, count, firstSeenMs, lastSeenMs, refusals])}\n`;
    lines += 1;
    if (lines % LINES_AT_ONCE !== 0) continue;
    yield text;
    text = '';
  }
  yield text;
}

function readHead(line: string, path: string, room: TallyRoom): Counters {
  const head = HEAD.safeParse(parse(line));
  if (!head.success) throw new Error(`${path} is damaged, or of another program or build; nothing in it was changed.`);
  const counters = new Counters(head.data.sinceMs, room);
  counters.add([], head.data.forgotten, 0);
  return counters;
}

/** The tally of a line; empty for an unreadable line, so that one damaged line does not hide the others. */
function readLine(text: string): readonly Tally[] {
  const line = LINE.safeParse(parse(text));
  if (!line.success || parse(line.data[2]) === undefined) return [];
  const [kind, owner, body, count, firstSeenMs, lastSeenMs, refusals] = line.data;
  return [{ kind, owner, body, count, firstSeenMs, lastSeenMs, refusals }];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
