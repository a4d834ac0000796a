/** Lets the resellers of the shop sell for a while at a given rate. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Reseller } from './reseller';
import { chooseWeighted, type Shop } from './shop';

export interface DemoPlan {
  readonly publicUrl: string;
  readonly forMs: number;
  /** Visits per second, over all resellers. */
  readonly rate: number;
  readonly random: () => number;
  /** Ends the demo early. */
  readonly stopped: AbortSignal;
}

/** How long the demo waits at its end for visits under way. The gateway holds no script longer. */
const LAST_REPLIES_MS = 45_000;

/** The resellers visit in turn. Returns them at the end: they know what became of their orders. */
export async function runDemo(shop: Shop, { publicUrl, forMs, rate, random, stopped }: DemoPlan): Promise<readonly Reseller[]> {
  const run = Date.now().toString(36).slice(-6);
  const resellers = shop.resellers.map((script) => new Reseller(shop, script, { url: publicUrl, run, random }));
  const visits = Object.entries(shop.visits) as [keyof Shop['visits'], number][];
  const underWay = new Set<Promise<void>>();
  const beganMs = performance.now();
  for (let count = 0; ; count += 1) {
    const waitMs = beganMs + (count * 1_000) / rate - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: stopped }).catch(() => undefined);
    if (stopped.aborted || performance.now() - beganMs >= forMs) break;
    const visit = resellers[count % resellers.length]!.visit(chooseWeighted(visits, random));
    underWay.add(visit);
    void visit.finally(() => underWay.delete(visit));
  }
  await Promise.race([Promise.allSettled(underWay), sleep(LAST_REPLIES_MS, undefined, { ref: false })]);
  return resellers;
}
