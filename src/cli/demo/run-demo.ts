/** Lets the resellers of the shop sell for a while at a given rate. */
import { setTimeout as sleep } from 'node:timers/promises';
import { countConclusions, Reseller } from './reseller';
import { chooseOne, chooseWeighted, type Shop } from './shop';

export interface DemoPlan {
  readonly publicUrl: string;
  readonly forMs: number;
  /** Visits per second, over all resellers. */
  readonly rate: number;
  /** The most purchases of one reseller within a minute. */
  readonly eachMax: number;
  readonly random: () => number;
  /** Ends the demo early. */
  readonly stopped: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export type Progress = ReturnType<typeof progressOf>;

const PROGRESS_EVERY_MS = 10_000;
/** How long the demo waits at its end for visits under way. The gateway holds no script longer. */
const LAST_REPLIES_MS = 45_000;
const MINUTE_MS = 60_000;

/** Returns the resellers, who know what became of their orders. */
export async function runDemo(shop: Shop, plan: DemoPlan): Promise<readonly Reseller[]> {
  const run = Date.now().toString(36).slice(-6);
  const resellers = shop.resellers.map((script) => new Reseller(shop, script, { url: plan.publicUrl, run, random: plan.random }));
  const underWay = await sellFor(shop, resellers, plan);
  await Promise.race([Promise.allSettled(underWay), sleep(LAST_REPLIES_MS, undefined, { ref: false })]);
  return resellers;
}

/** Returns the visits that are still under way. */
async function sellFor(shop: Shop, resellers: readonly Reseller[], plan: DemoPlan): Promise<ReadonlySet<Promise<void>>> {
  const visits = Object.entries(shop.visits) as [keyof Shop['visits'], number][];
  const underWay = new Set<Promise<void>>();
  const beganMs = performance.now();
  const times = new Map<Reseller, number[]>(resellers.map((reseller) => [reseller, []]));
  let toldMs = beganMs;
  for (let count = 0; ; count += 1) {
    const dueMs = beganMs + (count * 1_000) / plan.rate;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: plan.stopped }).catch(() => undefined);
    const now = performance.now();
    if (plan.stopped.aborted || now - beganMs >= plan.forMs) return underWay;
    const reseller = withRoom(times, now, plan);
    if (reseller !== undefined) {
      const visit = reseller.visit(chooseWeighted(visits, plan.random));
      underWay.add(visit);
      void visit.finally(() => underWay.delete(visit));
    }
    if (now - toldMs >= PROGRESS_EVERY_MS) {
      toldMs = now;
      plan.onProgress(progressOf(resellers, now - beganMs));
    }
  }
}

/** A reseller with fewer than `eachMax` visits in the last minute; undefined if there is none. */
function withRoom(times: ReadonlyMap<Reseller, number[]>, now: number, { eachMax, random }: DemoPlan): Reseller | undefined {
  const free: Reseller[] = [];
  for (const [reseller, came] of times) {
    while (came.length > 0 && came[0]! < now - MINUTE_MS) came.shift();
    if (came.length < eachMax) free.push(reseller);
  }
  if (free.length === 0) return undefined;
  const reseller = chooseOne(free, random);
  times.get(reseller)!.push(now);
  return reseller;
}

export function progressOf(resellers: readonly Pick<Reseller, 'orders' | 'refused'>[], elapsedMs: number) {
  const orders = resellers.flatMap((reseller) => reseller.orders);
  const refused = resellers.reduce((sum, one) => sum + one.refused, 0);
  return { elapsedMs, orders: orders.length, ...countConclusions(orders), refused };
}
