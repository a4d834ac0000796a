/** Keeps the learnt patience of scripts in one small file of the data folder. If it is lost, each key has to hang up twice again. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Clock } from '../domain/clock';
import {
  createLearntPatience,
  ENTRIES_MAX,
  isSound,
  type LearntEntry,
  type LearntPatience,
} from '../gateway/order/learnt-patience';
import type { Metrics } from '../telemetry/metrics';
import type { Observer } from './observer';

const NAME = 'patience.json';
/** Hang-ups come in bursts: they share one write. */
const WRITE_AFTER_MS = 1_000;

const fileSchema = z.strictObject({
  version: z.literal(1),
  learnt: z.array(
    z.strictObject({
      fingerprint: z.string().regex(/^[0-9a-f]{32}$/),
      kind: z.string().max(100),
      hangUpsMs: z.array(z.number().int().positive()).max(4),
      limitMs: z.number().int().positive().optional(),
    }),
  ),
});

/** `problem` says why the file cannot be read, if so: then everything is learnt anew. */
export function readPatienceFile(dataDir: string): { readonly entries: readonly LearntEntry[]; readonly problem?: string } {
  const file = join(dataDir, NAME);
  try {
    const { learnt } = fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const entries = learnt.map(({ limitMs, ...entry }) => (limitMs === undefined ? entry : { ...entry, limitMs }));
    return { entries: entries.filter(isSound) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { entries: [] };
    return { entries: [], problem: `${file} cannot be read; its limits are learnt anew` };
  }
}

/** Adds what another gateway on the same data folder has learnt meanwhile. */
function othersIn(dataDir: string, entries: readonly LearntEntry[]): readonly LearntEntry[] {
  const ours = new Set(entries.map(({ fingerprint, kind }) => `${fingerprint} ${kind}`));
  return readPatienceFile(dataDir).entries.filter(({ fingerprint, kind }) => !ours.has(`${fingerprint} ${kind}`));
}

export function createPatienceFile(dataDir: string, clock: Clock, onTrouble: (what: string, error: unknown) => void) {
  let waiting: { readonly entries: () => readonly LearntEntry[]; readonly cancel: () => void } | undefined;
  let hasFailed = false;
  const write = (): void => {
    const entries = waiting?.entries();
    waiting = undefined;
    if (entries === undefined) return;
    const file = join(dataDir, NAME);
    const draft = `${file}.${process.pid}`;
    try {
      // The draft is renamed over the file, so that no half-written file can be read.
      const learnt = [...othersIn(dataDir, entries), ...entries].slice(-ENTRIES_MAX);
      writeFileSync(draft, `${JSON.stringify({ version: 1, learnt })}\n`, { mode: 0o600 });
      renameSync(draft, file);
      hasFailed = false;
    } catch (error) {
      rmSync(draft, { force: true });
      // Logged once until it works again. The learnt patience is in memory, and the next hang-up writes all of it.
      if (!hasFailed) onTrouble('patience_file', error);
      hasFailed = true;
    }
  };
  return {
    /** Writes the file soon, with what has been learnt by then. */
    save(entries: () => readonly LearntEntry[]): void {
      waiting ??= { entries, cancel: clock.after(WRITE_AFTER_MS, write) };
    },
    /** Writes now, if a write is due. */
    close(): void {
      waiting?.cancel();
      write();
    },
  };
}

interface PatienceParts {
  readonly clock: Clock;
  readonly observer: Pick<Observer, 'trouble'>;
  readonly metrics: Pick<Metrics, 'hungUp' | 'setLearnt'>;
  readonly closers: (() => Promise<void>)[];
}

/** The learnt patience of this process, begun with the file. Its own hang-ups are counted and written to the file; those of other workers only shown. */
export function openLearntPatience(dataDir: string, { clock, observer, metrics, closers }: PatienceParts): LearntPatience {
  const { entries: known, problem } = readPatienceFile(dataDir);
  if (problem !== undefined) observer.trouble('patience_file', new Error(problem));
  const file = createPatienceFile(dataDir, clock, observer.trouble);
  closers.push(async () => file.close());
  const show = (entries: readonly LearntEntry[]): void => {
    const keys = new Map<string, number>();
    for (const { kind, limitMs } of entries) if (limitMs !== undefined) keys.set(kind, (keys.get(kind) ?? 0) + 1);
    metrics.setLearnt(keys);
  };
  show(known);
  const onHangUp = (kind: string, entries: () => readonly LearntEntry[], isOwn: boolean): void => {
    show(entries());
    // The worker that met the hang-up counts it and writes it.
    if (!isOwn) return;
    metrics.hungUp(kind);
    file.save(entries);
  };
  return createLearntPatience(known, onHangUp, clock);
}
