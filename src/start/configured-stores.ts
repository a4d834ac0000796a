/** Opens the stores that the settings name: journal, traffic and notes, for the gateway and for tools that read beside it. */
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Config } from '../config';
import { systemClock } from '../domain/clock';
import { counted } from '../domain/shown-words';
import type { Journal, JournalEvent } from '../journal/journal';
import { forgetUncharged, summariseJournal } from '../journal/lmdb/backup';
import { createFieldSeal } from '../journal/record';
import { journalFolder, openJournal, type OpenJournalOptions } from '../journal/open-journal';
import type { Mapping } from '../mapping/mapping';
import type { Metrics } from '../telemetry/metrics';
import { createNotes, type Notes, type NotesParts } from '../orders/notes';
import { createMemoryNotesStore, openNotesStore, type NotesStore } from '../orders/notes-store';
import { createRecorder, type TrafficRecorder } from '../traffic/recorder';
import { createMemoryStore, openTrafficStore } from '../traffic/traffic-store';
import { SIGN_MS, signsOfLife } from './data-folder';
import { checkOf, findGatewaySecret, leaveCheck } from './gateway-secret';

const DAY_MS = 24 * 3_600_000;

/** So long after a sale a request without an id may be its repeat: the longest `timing.replay`. */
const REPEATED_MS = 10 * 60_000;

/** In the data folder: the folder of the journal that was used last, from here; empty when that is in PostgreSQL. */
const LAST = 'journal-left';

/** In the data folder: see `lastV1`. */
const LAST_V1 = 'upstream-left';

/** In the folder of a journal in LMDB: the data folder of the gateways that sell from it, and this folder itself, which a copy is not. */
const SELLER = 'data-folder';

/**
 * A journal in LMDB to which the gateway comes back from another journal first forgets the orders that took no money: meanwhile they may have been
 * sold under the same ids, and it would tell them as failed.
 */
export async function openConfiguredJournal(
  config: Config,
  onEvent: (event: JournalEvent) => void = () => undefined,
  steadiness: Pick<OpenJournalOptions, 'steadyMs'> = {},
): Promise<Journal> {
  const last = join(config.dataDir, LAST);
  const folder = journalFolder(config.journalUrl, config.dataDir);
  const place = folder === undefined ? '' : relative(config.dataDir, folder);
  if (folder !== undefined) refuseHalfRestored(folder);
  // Earlier builds did not write down where they sold. That was here, unless JOURNAL_URL was set.
  const own = existsSync(join(config.dataDir, 'journal', 'data.mdb')) ? 'journal' : undefined;
  const before = existsSync(last) ? readFileSync(last, 'utf8') : own;
  if (before !== undefined && before !== place) await refuseLeaving(config.dataDir, before);
  if (folder !== undefined && existsSync(folder)) {
    refuseOtherSeller(folder, config.dataDir);
    if (before !== undefined && before !== place) await forgetUncharged(folder, config.journalKey, 'proven too');
  }
  const v1 = { url: config.upstreamUrl ?? '', last: lastV1(config.dataDir) };
  const journal = await open(config, { ...steadiness, retentionMs: config.journalDays * DAY_MS, onEvent, v1 });
  if (folder !== undefined) {
    writeFileSync(join(folder, SELLER), `${realpathSync(config.dataDir)}\n${realpathSync(folder)}`, { mode: 0o600 });
    const secret = findGatewaySecret(config);
    if (secret !== undefined) leaveCheck(secret, folder);
  }
  await refuseOtherV1(config, journal);
  if (before !== place && !/^memory:/i.test(config.journalUrl)) writeFileSync(last, place, { mode: 0o600 });
  return journal;
}

/** A restore that died between its renames leaves no journal, and a new one knows no order: every repeat would be sold again. */
function refuseHalfRestored(folder: string): void {
  const parent = dirname(folder);
  if (existsSync(join(folder, 'data.mdb')) || !existsSync(parent)) return;
  const isLeft = (name: string): boolean => ['.before-', '.restoring-'].some((mark) => name.startsWith(basename(folder) + mark));
  const left = readdirSync(parent).filter(isLeft);
  if (left.length > 0)
    throw new Error(
      `There is no journal at ${folder}, but ${left.join(' and ')} beside it: a restore did not finish. Run it again, or move the newest .before- folder back to ${folder}; to begin without a journal, move them all away.`,
    );
}

/** The data folder of the gateways that sell, or have sold, from the journal in this folder; undefined where none is known. */
export function sellerOf(folder: string): string | undefined {
  const file = join(folder, SELLER);
  if (!existsSync(file)) return undefined;
  const [seller, place] = readFileSync(file, 'utf8').split('\n');
  return place === realpathSync(folder) ? seller : undefined;
}

/** A gateway with another data folder would not see what this one has told: it would tell old successes to new sales, and sell repeats again. */
function refuseOtherSeller(folder: string, dataDir: string): void {
  const other = sellerOf(folder);
  if (other === undefined || other === realpathSync(dataDir) || signsOfLife(other) === 0) return;
  throw new Error(
    `A gateway with DATA_DIR ${other} sells from the journal at ${folder}, and gateways on one journal need the same DATA_DIR. Set it so, or stop that gateway; after a kill wait ${SIGN_MS / 1_000} seconds.`,
  );
}

/**
 * Another journal does not know the last sales of this one, so that a script which sends one of them again without its id is charged again. Nor does
 * it find out how open orders end. A journal that cannot be read keeps nobody here, nor does one from the embedded sandbox.
 */
async function refuseLeaving(dataDir: string, place: string): Promise<void> {
  const folder = resolve(dataDir, place);
  if (place === '' || !existsSync(folder) || lastV1(dataDir) === '') return;
  const { open = 0, newestMs = 0 } = (await summariseJournal(folder).catch(() => undefined)) ?? {};
  if (open === 0 && Date.now() - newestMs > REPEATED_MS) return;
  throw new Error(
    `JOURNAL_URL is another one now. The journal at ${folder}, which was used last, has ${counted(open, 'order')} without a final outcome, and its newest order is of ${new Date(newestMs).toISOString()}: what scripts send again within ten minutes would be charged again, and open orders would not be finished. Set JOURNAL_URL back, and move when \`compat-gateway orders report\` says \`0 orders without a final outcome\`, ten minutes after the last sale; or write an empty file ${join(dataDir, LAST)}.`,
  );
}

/**
 * Another v1 does not have what the last one charged, and the gateway would take that for the proof that nothing was: it would tell an open order as
 * failed, and sell its repeat. Orders of the embedded sandbox would not end at all: v1 refuses its keys. They are not ended here as simulated, because
 * the file tells which v1 sold last, not which one sold an order.
 */
async function refuseOtherV1({ dataDir, upstreamUrl = '' }: Config, journal: Journal): Promise<void> {
  const file = join(dataDir, LAST_V1);
  const last = lastV1(dataDir);
  if (last === upstreamUrl) return;
  let isSomeOpen = false;
  // A journal that machines share has compared its own mark.
  if (last !== undefined && journal.processes === undefined) {
    const open = await journal.listUnsettled({ limit: 1, onUnreadable: () => (isSomeOpen = true) });
    isSomeOpen ||= open.length > 0;
  }
  if (isSomeOpen) {
    await journal.close();
    const whatToDo =
      last === ''
        ? `v1 would not end them. Set a DATA_DIR for v1 alone (and a JOURNAL_URL, where it is set), because the orders of the sandbox are only simulated; or, if they may stay open, delete ${file}.`
        : `Another v1 does not know them: they would be told as failed. Set UPSTREAM_URL back until \`compat-gateway orders report\` says \`0 orders without a final outcome\`; or, if it is only another address of the same v1, delete ${file}.`;
    throw new Error(
      `There are orders without a final outcome that were sold through ${last || 'the embedded sandbox'}, and UPSTREAM_URL is ${upstreamUrl || 'the embedded sandbox'} now. ${whatToDo}`,
    );
  }
  writeFileSync(file, upstreamUrl, { mode: 0o600 });
}

/** The address of the v1 that sold last; empty for the embedded sandbox. */
function lastV1(dataDir: string): string | undefined {
  const file = join(dataDir, LAST_V1);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/**
 * Opens the journal for reading, beside a running gateway or after its end. Makes no journal, and writes and deletes nothing,
 * because the reader's settings may differ from the gateway's. Rejects with a plain Error when there is no journal.
 */
export async function openJournalBeside(config: Config): Promise<Journal> {
  const url = config.journalUrl;
  if (url.toLowerCase().startsWith('memory:')) throw new Error('JOURNAL_URL is memory:, which only the gateway itself can see.');
  const folder = journalFolder(url, config.dataDir);
  if (folder !== undefined && !existsSync(folder))
    throw new Error(`There is no journal at ${folder}: DATA_DIR or JOURNAL_URL must be those of the gateway.`);
  return open(config, { isReadOnly: true });
}

function open({ journalUrl, journalKey, gatewaySecret, dataDir }: Config, options: OpenJournalOptions): Promise<Journal> {
  const key = journalKey === undefined ? {} : { encryptionKey: journalKey };
  const secretCheck = gatewaySecret === undefined ? {} : { secretCheck: checkOf(gatewaySecret) };
  return openJournal(journalUrl, dataDir, { ...options, ...key, ...secretCheck });
}

/**
 * The recorder of traffic by the settings: in the data folder, in memory, or undefined when it is switched off. For a folder that
 * cannot be used, `onTrouble` is called and traffic is kept in memory.
 */
export function openConfiguredTraffic(
  config: Pick<Config, 'trafficShapes' | 'journalUrl' | 'dataDir'>,
  mapping: () => Mapping,
  metrics: Pick<Metrics, 'trafficWritten'>,
  onTrouble: (what: string, error: unknown) => void,
): TrafficRecorder | undefined {
  if (!config.trafficShapes) return undefined;
  const now = systemClock.now();
  const isInMemory = config.journalUrl.toLowerCase().startsWith('memory:');
  const store = isInMemory
    ? Promise.resolve(createMemoryStore(now))
    : openTrafficStore(join(config.dataDir, 'traffic'), now).catch((error: unknown) => {
        onTrouble('traffic_folder', error);
        return createMemoryStore(now);
      });
  return createRecorder({
    mapping,
    clock: systemClock,
    store,
    onTrouble: (error) => onTrouble('traffic', error),
    onWritten: (shapes, forgotten) => metrics.trafficWritten(shapes, forgotten),
  });
}

/** The store of notes: in the data folder, or in memory when the journal is in memory. */
export async function openConfiguredNotes(
  { journalUrl, journalKey, dataDir }: Pick<Config, 'journalUrl' | 'journalKey' | 'dataDir'>,
  isReadOnly = false,
): Promise<NotesStore> {
  if (journalUrl.toLowerCase().startsWith('memory:')) return createMemoryNotesStore();
  return openNotesStore({ dir: join(dataDir, 'notes'), seal: createFieldSeal(journalKey), isReadOnly });
}

/** When notes cannot be kept, one line is logged and selling goes on. */
export function createConfiguredNotes(
  config: Config,
  { observer, ...parts }: Pick<NotesParts, 'mapping' | 'keyring' | 'clock'> & { readonly observer: TroubleObserver },
): Notes {
  return createNotes({ ...parts, store: openConfiguredNotes(config), onTrouble: (error) => observer.trouble('notes', error) });
}

interface TroubleObserver {
  readonly trouble: (what: string, error: unknown) => void;
}
