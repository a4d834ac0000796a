/** Checks whether the gateway is well, and shows alarms and checks at the top of the Overview. */
import { fingerprintIn, type ActiveAlarm, type AlarmName } from '../../domain/alarm';
import { isNearlyFull, type DiskRoom } from '../../domain/disk-room';
import type { ConsoleParts } from '../console-parts';
import { badge, count, notice, prose, time, type Tone } from '../components';
import { html, type Html, type Writable } from '../html';

export interface Check {
  readonly tone: Tone;
  /** The state in a few words. */
  readonly words: string;
  /** Only if something is wrong: what it means, and the alarm that reports the same once it has lasted. */
  readonly trouble?: string;
  readonly alarm?: AlarmName;
  /** Where the trouble can be seen. */
  readonly href?: string;
}

export interface Seen {
  readonly isJournalWritable: boolean;
  readonly isV1Up: boolean;
  readonly mappingProblems: number;
  readonly overdue: number;
  readonly disk: Omit<DiskRoom, 'folder'> | undefined;
}

export function checksOf({ isJournalWritable, isV1Up, mappingProblems, overdue, disk }: Seen): readonly Check[] {
  return [
    isJournalWritable
      ? { tone: 'good', words: 'Orders are written' }
      : {
          tone: 'bad',
          words: 'Orders cannot be written',
          trouble: 'No order can be written, so none is taken.',
          alarm: 'journal_unwritable',
        },
    isV1Up
      ? { tone: 'good', words: 'v1 answers' }
      : {
          tone: 'bad',
          words: 'v1 is in trouble',
          trouble: 'v1 does not answer as it should, so few sales get through.',
          alarm: 'v1_down',
        },
    mappingProblems === 0
      ? { tone: 'good', words: 'Mapping files are sound' }
      : {
          tone: 'warn',
          words: 'Mapping files have problems',
          trouble: `The mapping files have ${count(mappingProblems)} problem${mappingProblems === 1 ? '' : 's'}, so the last good set is in use.`,
          alarm: 'mapping_refused',
          href: '/console/mappings#check',
        },
    overdue === 0
      ? { tone: 'good', words: 'No order is overdue' }
      : {
          tone: 'bad',
          words: `${count(overdue)} overdue`,
          trouble: `${overdue === 1 ? 'One order has' : `${count(overdue)} orders have`} been open for too long: look at the oldest first.`,
          alarm: 'orders_overdue',
          href: '#open-orders',
        },
    diskCheck(disk),
  ];
}

function diskCheck(disk: Seen['disk']): Check {
  if (disk === undefined) return { tone: 'none', words: 'Disk room is not known' };
  const words = `${gigabytes(disk.freeBytes)} free on disk`;
  return isNearlyFull(disk)
    ? {
        tone: 'warn',
        words,
        trouble: `The disk is nearly full: ${words}. When it is full no sale is taken.`,
        alarm: 'disk_nearly_full',
      }
    : { tone: 'good', words };
}

function gigabytes(bytes: number): string {
  return bytes < 1e10 ? `${(bytes / 1e9).toFixed(1)} GB` : `${count(Math.round(bytes / 1e9))} GB`;
}

/** The health part of the Overview. A check whose alarm is active is left out of the notices: the alarm says more. */
export function healthPart(
  checks: readonly Check[],
  alarms: readonly ActiveAlarm[],
  nowMs: number,
  nameOf: (fingerprint: string) => string,
): Html {
  const raised = new Set<string>(alarms.map(({ name }) => name));
  const others = checks.filter(({ trouble, alarm }) => trouble !== undefined && (alarm === undefined || !raised.has(alarm)));
  const isWell = alarms.length === 0 && others.length === 0;
  return html`<div id="health" class="health">
    ${isWell && notice('good', html`<strong>All is well.</strong>`)}
    ${alarms.map(({ subject, text, todo, sinceMs }) => notice('bad', html`${callerOf(subject, nameOf)}<strong>${prose(text)}</strong> ${prose(todo)} <span class="since">Since ${time(sinceMs, nowMs)}.</span>`))}
    ${others.map(({ tone, trouble }) => notice(tone, html`<strong>${trouble}</strong>`))}
    <ul class="checks">
      ${checks.map(({ tone, words, href }) => html`<li>${badge(tone, href === undefined ? words : html`<a href="${href}">${words}</a>`)}</li>`)}
    </ul>
  </div>`;
}

/** The link to the caller that an alarm is about, if it is about one. Several alarms may differ only in the caller. */
function callerOf(subject: string | undefined, nameOf: (fingerprint: string) => string): Writable {
  const fingerprint = fingerprintIn(subject);
  return fingerprint !== undefined && html`<a href="/console/callers/${fingerprint}">${nameOf(fingerprint)}</a>: `;
}

export function overdueWords(parts: Pick<ConsoleParts, 'live'>): string {
  return `open for more than ${Math.round(parts.live.current().timing.overdue / 60_000)} minutes`;
}
