/** v1, a proxy in front of it, and gateways that sell through both while a test kills them. */
import { openFaultProxy } from '../faults/fault-proxy';
import { openV1OfMany, type V1OfMany } from '../faults/v1-of-many';
import { chanceOfRun, type Chance } from '../chance';
import { prepareGateway, type GatewayProcess } from './gateway-process';
import { startScripts, type Scripts } from './scripts';
import { describeVerdict, judgeOrders, type Verdict } from './verdict';
import { newFolder } from '../new-folder';

const ACCOUNTS = 12;
const SCRIPTS = 16;
/** The last account does not belong to the scripts. */
export const SPARE_ACCOUNT = ACCOUNTS;

export interface CrashStage {
  readonly v1: V1OfMany;
  /** Made, but not started. */
  readonly gateways: readonly GatewayProcess[];
  readonly chance: Chance;
  /** Scripts send each order to any gateway that is up, so a repeat may reach another gateway than the first sending did. */
  load(name: string, restMs?: number): Scripts;
  /** Compares the replies with v1's books and logs one line of counts. `others`: orders of v1 that these scripts did not make. */
  judge(scripts: Scripts, what: string, others?: number): Promise<Verdict>;
  close(): Promise<void>;
}

export interface CrashStageOptions {
  readonly gateways: number;
  /** One data folder for all gateways, unless each has its own. */
  readonly hasOwnFolders?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export async function openCrashStage({
  gateways: count,
  hasOwnFolders = false,
  env = {},
}: CrashStageOptions): Promise<CrashStage> {
  const v1 = await openV1OfMany(ACCOUNTS + 1);
  const proxy = await openFaultProxy(v1.url);
  const chance = chanceOfRun();
  const folders = Array.from({ length: hasOwnFolders ? count : 1 }, newFolder);
  const gateways: GatewayProcess[] = [];
  const loads: Scripts[] = [];
  for (let nth = 0; nth < count; nth += 1)
    gateways.push(await prepareGateway({ dataDir: folders[nth % folders.length]!, upstreamUrl: proxy.url, env }));
  return {
    v1,
    gateways,
    chance,
    load(name, restMs = 0) {
      const scripts = startScripts({
        ...{ name, scripts: SCRIPTS, accounts: ACCOUNTS, proxy, chance, restMs },
        keyOf: (account) => v1.keyOf(account),
        pickUrl: () => {
          const up = gateways.filter((gateway) => gateway.isUp());
          return chance.pick(up.length === 0 ? gateways : up).url;
        },
        isUp: () => gateways.some((gateway) => gateway.isUp()),
      });
      loads.push(scripts);
      return scripts;
    },
    async judge({ orders }, what, others = 0) {
      const verdict = await judgeOrders(orders, chance.pick(gateways).url, v1, others);
      console.log(`seed ${chance.seed}, ${what}: ${describeVerdict(verdict)}`);
      return verdict;
    },
    async close() {
      for (const scripts of loads) scripts.abandon();
      for (const gateway of gateways) await gateway.end('SIGKILL');
      await proxy.close();
      await v1.close();
    },
  };
}
