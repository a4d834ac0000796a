/** The alarms of a running gateway: where their sightings come from, and where they are sent. */
import { join } from 'node:path';
import type { Config } from '../config';
import { nairaNumber } from '../domain/amount';
import type { Clock } from '../domain/clock';
import { readDiskRoom } from '../domain/disk-room';
import type { Journal } from '../journal/journal';
import { journalFolder } from '../journal/open-journal';
import { callerTitle } from '../mapping/caller-name';
import type { LiveMapping } from '../mapping/live';
import type { Mapping } from '../mapping/mapping';
import { formatProblem } from '../mapping/problem';
import type { Log } from '../telemetry/log';
import type { Metrics } from '../telemetry/metrics';
import { AlarmWebhook } from './alarm-webhook';
import { AlarmsWatch } from './alarms';
import type { Observer } from './observer';
import type { SellingSightings, WalletSeen } from './sightings';
import type { Wallets } from './wallets';

interface AlarmTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly observer: Pick<Observer, 'trouble'>;
  readonly wallets: Pick<Wallets, 'lastSeen'>;
  readonly closers: (() => Promise<void>)[];
}

interface AlarmSources {
  readonly live: LiveMapping;
  readonly journal: Pick<Journal, 'isWritable'>;
  /** The sightings of the processes that sell. */
  readonly selling: () => Promise<SellingSightings>;
}

/** The alarms of all processes of this gateway, sent to the log and to the operator's webhook. */
export function openAlarms(config: Config, tools: AlarmTools, { live, journal, selling }: AlarmSources): AlarmsWatch {
  const { clock, log, metrics, observer, closers, wallets } = tools;
  const { dataDir, journalUrl, alarmWebhook: url, alarmFormat: format } = config;
  const folders = [dataDir, journalFolder(journalUrl, dataDir) ?? dataDir];
  const titleOf = (fingerprint: string): string | undefined => callerTitle(live.current(), fingerprint);
  const webhook = url && new AlarmWebhook({ url, format, clock, titleOf, onTrouble: observer.trouble });
  closers.push(() => webhook?.close() ?? Promise.resolve());
  const alarms = new AlarmsWatch({
    ...{ clock, log, onTrouble: observer.trouble },
    file: /^memory:/i.test(journalUrl) ? undefined : join(dataDir, 'alarms.json'),
    send: (message) => webhook?.post(message) ?? Promise.resolve(true),
    async see() {
      const [seen, disks] = await Promise.all([selling(), readDiskRoom(folders)]);
      metrics.setDisks(disks);
      const mappingProblems = live.problems().map((problem) => formatProblem(problem).split('\n', 1)[0]!);
      const isJournalWritable = journal.isWritable();
      return { ...seen, disks, mappingProblems, isJournalWritable, wallets: walletsWithMark(live.current(), wallets) };
    },
  });
  metrics.watchAlarms(() => new Set(alarms.active().map(({ name }) => name)));
  closers.push(async () => alarms.stop());
  return alarms;
}

function walletsWithMark({ callerKeys }: Mapping, wallets: Pick<Wallets, 'lastSeen'>): readonly WalletSeen[] {
  const marked = [...callerKeys.values()].filter(({ walletBelow }) => walletBelow !== undefined);
  return marked.map(({ fingerprint, walletBelow }) => {
    const balance = wallets.lastSeen(fingerprint)?.balance;
    return {
      fingerprint,
      balanceNaira: balance === undefined ? undefined : nairaNumber(balance),
      markNaira: nairaNumber(walletBelow!),
    };
  });
}
