/**
 * Raises and ends alarms: every few seconds each condition of the table is evaluated over the sightings. An alarm is sent when it is raised,
 * again every few hours while it lasts, and when it is over. A small file holds which alarms have been sent, so that a restart sends none twice.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { ALARM_NAMES, fingerprintIn, type ActiveAlarm, type AlarmName } from '../domain/alarm';
import type { Clock } from '../domain/clock';
import type { Log } from '../telemetry/log';
import { CONDITIONS, type Condition, type Finding } from './alarm-conditions';
import type { Sightings } from './sightings';

/** One message to the operator. */
export interface AlarmMessage {
  readonly state: 'raised' | 'still' | 'over';
  readonly alarm: ActiveAlarm;
  readonly atMs: number;
}

interface AlarmsParts {
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'error'>;
  /** The sightings as of now. */
  readonly see: () => Promise<Sightings>;
  /** Sends a message. Resolves to whether a receiver has taken it. Messages are sent in the order of the calls. */
  readonly send: (message: AlarmMessage) => Promise<boolean>;
  /** The file of the alarms that have been sent; undefined keeps them in memory. */
  readonly file: string | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export const LOOK_EVERY_MS = 5_000;
export const SEND_AGAIN_MS = 4 * 60 * 60_000;
/** Most subjects of one condition: of a hundred keys in a loop the first ones say enough. */
const SUBJECTS_MAX = 20;
const RUNBOOK = 'docs/runbook.md';

/** An alarm from the first time that its condition holds until it is over. Times by `clock.elapsed()`, where nothing else is said: nobody can set it. */
interface TrackedAlarm {
  readonly name: AlarmName;
  readonly subject: string | undefined;
  /** By the time of day. */
  readonly sinceMs: number;
  readonly heldSince: number;
  text: string;
  isRaised: boolean;
  /** When the alarm was last sent; undefined before the first time. */
  toldAt: number | undefined;
  /** Whether a receiver took it. */
  isTaken: boolean;
  goneSince: number | undefined;
}

const fileSchema = z.object({
  version: z.literal(1),
  alarms: z.array(
    z.object({
      name: z.enum(ALARM_NAMES),
      subject: z.string().optional(),
      text: z.string(),
      sinceMs: z.number(),
      toldAtMs: z.number(),
    }),
  ),
});

export class AlarmsWatch {
  readonly #parts: AlarmsParts;
  readonly #tracked = new Map<string, TrackedAlarm>();
  #cancel: () => void = () => undefined;
  #isStopped = false;
  #looking: Promise<void> | undefined;
  readonly #failures = new Set<string>();

  constructor(parts: AlarmsParts) {
    this.#parts = parts;
    for (const one of this.#readFile()) this.#tracked.set(keyOf(one), one);
    this.#begin();
  }

  #begin(): void {
    void this.look().finally(() => {
      if (!this.#isStopped) this.#cancel = this.#parts.clock.after(LOOK_EVERY_MS, () => this.#begin());
    });
  }

  /** The raised alarms, oldest first. */
  readonly active = (): readonly ActiveAlarm[] => [...this.#tracked.values()].filter(({ isRaised }) => isRaised).map(shown);

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Evaluates the conditions now instead of in a few seconds. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look().finally(() => (this.#looking = undefined)));
  }

  async #look(): Promise<void> {
    try {
      const sightings = await this.#parts.see();
      if (this.#isStopped) return;
      for (const condition of CONDITIONS) this.#judge(condition, sightings);
      this.#failures.delete('alarms');
    } catch (error) {
      this.#failed('alarms', error);
    }
  }

  #judge(condition: Condition, sightings: Sightings): void {
    const { name } = condition;
    const { clock } = this.#parts;
    const isRaised = (subject?: string): boolean => this.#tracked.get(keyOf({ name, subject }))?.isRaised ?? false;
    const findings = condition.find(sightings, isRaised);
    if (findings === undefined) return;
    const held = new Set<string>();
    for (const { subject, text } of withinBounds(findings, isRaised)) {
      const key = keyOf({ name, subject });
      held.add(key);
      const one = this.#tracked.get(key);
      if (text === undefined) continue;
      if (one === undefined)
        this.#tracked.set(key, {
          ...{ name, subject, text, sinceMs: clock.now(), heldSince: clock.elapsed() },
          ...{ isRaised: false, toldAt: undefined, isTaken: false, goneSince: undefined },
        });
      else Object.assign(one, { text, goneSince: undefined });
      this.#sendIfDue(this.#tracked.get(key)!, condition);
    }
    for (const [key, one] of this.#tracked) if (one.name === name && !held.has(key)) this.#missed(key, one, condition);
  }

  #sendIfDue(one: TrackedAlarm, { raiseAfterMs }: Condition): void {
    const elapsed = this.#parts.clock.elapsed();
    if (!one.isRaised) {
      if (elapsed - one.heldSince < raiseAfterMs) return;
      one.isRaised = true;
      return this.#send('raised', one);
    }
    if (elapsed - one.toldAt! >= SEND_AGAIN_MS) this.#send('still', one);
  }

  #missed(key: string, one: TrackedAlarm, { overAfterMs }: Condition): void {
    if (!one.isRaised) return void this.#tracked.delete(key);
    const elapsed = this.#parts.clock.elapsed();
    one.goneSince ??= elapsed;
    if (elapsed - one.goneSince < overAfterMs) return;
    this.#tracked.delete(key);
    this.#send('over', one);
  }

  #send(state: AlarmMessage['state'], one: TrackedAlarm): void {
    const alarm = shown(one);
    const { clock, log, send: tell } = this.#parts;
    const atMs = clock.now();
    const fields = {
      alarm: alarm.name,
      subject: alarm.subject,
      kind: state,
      detail: alarm.text,
      fingerprint: fingerprintIn(alarm.subject),
    };
    if (state === 'over') log.info('alarm', { ...fields, durationMs: clock.elapsed() - one.heldSince });
    else log.error('alarm', fields);
    one.toldAt = clock.elapsed();
    // A message that no receiver took before the process ends is not in the file as sent, so the next process sends it.
    void tell({ state, alarm, atMs }).then((isTaken) => {
      one.isTaken ||= isTaken;
      if (isTaken) this.#writeFile();
    });
  }

  #writeFile(): void {
    const { file, clock } = this.#parts;
    if (file === undefined) return;
    const startMs = clock.now() - clock.elapsed();
    const alarms = [...this.#tracked.values()]
      .filter(({ isTaken }) => isTaken)
      .map(({ name, subject, text, sinceMs, toldAt }) => ({ name, subject, text, sinceMs, toldAtMs: startMs + toldAt! }));
    const draft = `${file}.${process.pid}`;
    try {
      writeFileSync(draft, `${JSON.stringify({ version: 1, alarms })}\n`, { mode: 0o600 });
      renameSync(draft, file);
      this.#failures.delete('alarms_file');
    } catch (error) {
      rmSync(draft, { force: true });
      this.#failed('alarms_file', error);
    }
  }

  /** If the file cannot be read, alarms are sent a second time: nothing worse. */
  #readFile(): readonly TrackedAlarm[] {
    const { file, clock } = this.#parts;
    if (file === undefined) return [];
    const [nowMs, elapsed] = [clock.now(), clock.elapsed()];
    try {
      const { alarms } = fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
      return alarms.map(({ name, subject, text, sinceMs, toldAtMs }) => ({
        ...{ name, subject, text, sinceMs, heldSince: elapsed - Math.max(0, nowMs - sinceMs) },
        toldAt: elapsed - Math.max(0, nowMs - toldAtMs),
        ...{ isRaised: true, isTaken: true, goneSince: undefined },
      }));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#failed('alarms_file', error);
      return [];
    }
  }

  /** Logged once until it works again. */
  #failed(what: string, error: unknown): void {
    if (this.#failures.has(what)) return;
    this.#failures.add(what);
    this.#parts.onTrouble(what, error);
  }
}

/** One finding for each subject. Subjects with a raised alarm come first, so that further ones do not end it. Unknown ones take no room. */
function withinBounds(findings: readonly Finding[], isRaised: (subject?: string) => boolean): readonly Finding[] {
  const ofSubject = [...new Map(findings.map((one) => [one.subject, one])).values()];
  const told = ofSubject.filter(({ text }) => text !== undefined);
  const [raised, others] = [told.filter(({ subject }) => isRaised(subject)), told.filter(({ subject }) => !isRaised(subject))];
  return [...ofSubject.filter(({ text }) => text === undefined), ...[...raised, ...others].slice(0, SUBJECTS_MAX)];
}

function keyOf({ name, subject }: Pick<TrackedAlarm, 'name' | 'subject'>): string {
  return `${name} ${subject ?? ''}`;
}

const FIRST_STEPS: ReadonlyMap<AlarmName, string> = new Map(CONDITIONS.map(({ name, todo }) => [name, todo]));

function shown({ name, subject, text, sinceMs }: TrackedAlarm): ActiveAlarm {
  return { name, subject, text, todo: FIRST_STEPS.get(name) ?? '', runbook: `${RUNBOOK}#${name}`, sinceMs };
}
