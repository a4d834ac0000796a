/** The table of alarms: when each is raised, and its text. A condition is a plain function over the sightings of all processes. */
import type { AlarmName } from '../domain/alarm';
import { GIB, isNearlyFull, type DiskRoom } from '../domain/disk-room';
import { counted } from '../domain/shown-words';
import { COUNTED_MAX, WINDOW_MS } from './repeated-refusals';
import type { Sightings } from './sightings';

export interface Finding {
  readonly subject?: string;
  /** What is wrong with this subject. Undefined while it is not known: then the alarm of this subject stays as it is. */
  readonly text: string | undefined;
}

export interface Condition {
  readonly name: AlarmName;
  /** The subjects for which the condition holds now; undefined while that is not known, and then nothing changes. `isRaised`: for this subject. */
  readonly find: (sightings: Sightings, isRaised: (subject?: string) => boolean) => readonly Finding[] | undefined;
  /** How long the condition must hold before the alarm is raised, and be gone before the alarm is over (ms). */
  readonly raiseAfterMs: number;
  readonly overAfterMs: number;
  readonly todo: string;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** The alarm of a disk is over a fifth above the limit that raised it. */
const RELIEF = 1.2;
/** So many sales of one key declined within ten minutes: a single sale beyond the wallet is a customer's mistake. */
const WITHOUT_MONEY_MIN = 3;
/** The alarm of a wallet is over when the balance is above its limit by this part of the limit (a tenth). */
const FILLED_PART = 10;

export const CONDITIONS: readonly Condition[] = [
  {
    name: 'v1_down',
    find: ({ v1 }) => v1 && only(v1.trouble !== undefined && `v1 is in trouble: ${v1.trouble}`),
    // No further delay: v1-state already waits for several bad answers in a row.
    raiseAfterMs: 0,
    overAfterMs: 15 * SECOND_MS,
    todo: 'Sell nothing by hand. Find out whether v1, the network or UPSTREAM_URL is at fault, and tell v1.',
  },
  {
    name: 'orders_overdue',
    find: ({ openOrders }) => openOrders && only(openOrders.overdue > 0 && overdueText(openOrders)),
    raiseAfterMs: 0,
    overAfterMs: MINUTE_MS,
    todo: 'Look at them with `compat-gateway orders report`, and ask v1 what became of each. Refund no order that has no end here: it may still be bought.',
  },
  {
    name: 'journal_unwritable',
    find: ({ isJournalWritable }) =>
      only(
        !isJournalWritable &&
          'The journal cannot be written. No new sale is taken; scripts hear that nothing was sent, or “pending” if their id may belong to an earlier sale.',
      ),
    raiseAfterMs: 5 * SECOND_MS,
    overAfterMs: 15 * SECOND_MS,
    todo: 'Make room on the disk, or mend the disk or the database. The gateway sells again by itself; do not delete the journal.',
  },
  {
    name: 'disk_nearly_full',
    find: ({ disks }, isRaised) =>
      disks.filter((disk) => isNearlyFull(disk, isRaised(disk.folder) ? RELIEF : 1)).map(diskFinding),
    raiseAfterMs: 10 * SECOND_MS,
    overAfterMs: MINUTE_MS,
    todo: 'Make room, or enlarge the disk. When it is full, no sale is taken.',
  },
  {
    name: 'mapping_refused',
    find: ({ mappingProblems }) => only(mappingProblems.length > 0 && mappingText(mappingProblems)),
    raiseAfterMs: 0,
    overAfterMs: 0,
    todo: 'Run `compat-gateway check`, mend what it names, then `compat-gateway reload`.',
  },
  {
    name: 'wallet_low',
    find: ({ wallets }, isRaised) =>
      wallets
        .filter(
          ({ fingerprint, balanceNaira = -Infinity, markNaira }) =>
            balanceNaira < markNaira + (isRaised(fingerprint) ? markNaira / FILLED_PART : 0),
        )
        .map(({ fingerprint, balanceNaira, markNaira }) => ({ subject: fingerprint, text: walletText(balanceNaira, markNaira) })),
    raiseAfterMs: 0,
    overAfterMs: 0,
    todo: 'Fill the wallet at v1, or have its owner fill it.',
  },
  {
    name: 'no_money_at_v1',
    find: ({ withoutMoney }) =>
      withoutMoney
        .filter(({ count }) => count >= WITHOUT_MONEY_MIN)
        .map(({ fingerprint, count }) => ({
          subject: fingerprint,
          text: `v1 has declined ${counted(count, 'sale')}${count >= COUNTED_MAX ? ' or more' : ''} of this key in ten minutes because its wallet is empty.`,
        })),
    raiseAfterMs: 0,
    overAfterMs: MINUTE_MS,
    todo: 'Fill the wallet at v1, or have its owner fill it. Every sale of the key fails until then; none of them is charged.',
  },
  {
    name: 'key_in_a_loop',
    find: ({ loops }) => loops.filter(({ count }) => count >= COUNTED_MAX).map(loopFinding),
    raiseAfterMs: 0,
    overAfterMs: MINUTE_MS,
    todo: 'Tell the owner of the script why it is refused; pause the key if it does not stop.',
  },
];

function only(text: string | false): readonly Finding[] {
  return text === false ? [] : [{ text }];
}

function overdueText({ overdue, oldestMs, atRiskNaira, withoutPrice }: NonNullable<Sightings['openOrders']>): string {
  const minutes = Math.round(oldestMs / MINUTE_MS);
  const unpriced = withoutPrice === 0 ? '' : ` (and ${withoutPrice} whose price only v1 knows)`;
  return `${counted(overdue, 'order')} without an end for too long, the oldest for ${counted(minutes, 'minute')}. All open orders hold ${naira(atRiskNaira)}${unpriced}.`;
}

function diskFinding({ folder, freeBytes, sizeBytes }: DiskRoom): Finding {
  const percent = Math.floor((freeBytes / sizeBytes) * 100);
  return { subject: folder, text: `The disk of ${folder} is nearly full: ${bytes(freeBytes)} are free, ${percent} %.` };
}

function mappingText(problems: readonly string[]): string {
  // `file:line:column  code  message`
  const [place, , ...message] = (problems[0] ?? '').split('  ');
  const first = message.length === 0 ? place : `${place}: ${message.join(' ')}`;
  return `The mapping files have ${counted(problems.length, 'problem')}, so the set that ran before still runs. The first: ${first}.`;
}

/** All keys that v1 has not accepted are one subject: otherwise invented ones would take the places of all others. */
function loopFinding({ fingerprint, code, isStranger }: Sightings['loops'][number]): Finding {
  const often = `${COUNTED_MAX} times or more in ${WINDOW_MS / MINUTE_MS} minutes`;
  const text = code === 'repeat' ? `The same sale was sent ${often}.` : `The same refusal, ${code}, was met ${often}.`;
  if (isStranger)
    return {
      subject: 'other_keys',
      text: `A script is in a loop with the key ${fingerprint}, which v1 has not accepted. ${text}`,
    };
  return { subject: `${fingerprint} ${code}`, text: `A script of this key is in a loop. ${text}` };
}

function walletText(balanceNaira: number | undefined, markNaira: number): string | undefined {
  if (balanceNaira === undefined) return undefined;
  return `The wallet holds ${naira(balanceNaira)}, less than its limit of ${naira(markNaira)}.`;
}

/** Not rounded: a balance just below its limit must not read as the limit itself. */
function naira(amount: number): string {
  const decimals = Number.isInteger(amount) ? 0 : 2;
  return `${amount.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })} naira`;
}

function bytes(count: number): string {
  return count >= GIB ? `${(count / GIB).toFixed(1)} GiB` : `${Math.floor(count / 2 ** 20)} MiB`;
}
