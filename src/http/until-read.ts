/**
 * Notices that this process was stopped or got no processor (a paused container, a machine that is moved). When it goes on, its buffers hold a request
 * together with the hang-up of its script, or v1's answer together with that hang-up. If it did not first read all of that, it would sell to a script
 * that another gateway has served meanwhile, or count a reply as delivered that nobody reads.
 */

/** Without a beat for so long, the process was stopped or got no processor. */
const HELD_UP_MS = 100;
const BEAT_MS = 50;
/** Without a beat for so long, the process stood still: another process may have answered the repeat of a request that waited here. Shorter pauses are usual. */
const STOOD_STILL_MS = 500;
const READINGS_MAX = 3;
/** After a stop, connections that were made meanwhile still arrive for so long: one in each turn of the event loop, and its hang-up a turn after its request. */
const CATCHING_UP_MS = 2_000;

/** When this process had last read all that had arrived, by `performance.now()`. */
let lastBeatMs = -Infinity;
/** From when on the process counts as running steadily. */
let steadyFromMs = Infinity;
/** The last beat before the process stood still, and until when it catches up. A further stop before that time belongs to the same standstill. */
let standstill = { fromMs: 0, untilMs: 0 };
let beating: NodeJS.Timeout | undefined;

function beat(): void {
  const nowMs = performance.now();
  const heldUpMs = nowMs - lastBeatMs;
  if (heldUpMs >= HELD_UP_MS) steadyFromMs = nowMs + CATCHING_UP_MS;
  if (heldUpMs >= STOOD_STILL_MS && heldUpMs < Infinity)
    standstill = { fromMs: nowMs < standstill.untilMs ? standstill.fromMs : lastBeatMs, untilMs: steadyFromMs };
  lastBeatMs = nowMs;
}

/**
 * To be awaited before a request begins and before a reply leaves. Undefined in a process that runs steadily. In one that was held up lately it resolves
 * when all that has arrived on the connections is read.
 */
export function untilRead(): Promise<void> | undefined {
  // An immediate runs after the event loop has read its connections, a timer before.
  beating ??= setInterval(() => setImmediate(beat), BEAT_MS).unref();
  const nowMs = performance.now();
  return nowMs - lastBeatMs < HELD_UP_MS && nowMs >= steadyFromMs ? undefined : readOn();
}

/** How long a request that was read at this time may have waited unread: since the beginning of a standstill with which the process still catches up. */
export function heldUpFor(readAtMs: number): number {
  // The request may be read before the first beat after a stop.
  if (beating !== undefined && performance.now() - lastBeatMs >= STOOD_STILL_MS) beat();
  return performance.now() < standstill.untilMs ? Math.max(0, readAtMs - standstill.fromMs) : 0;
}

async function readOn(): Promise<void> {
  for (let readings = 0; readings < READINGS_MAX; readings += 1) {
    const fromMs = performance.now();
    await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
    beat();
    if (lastBeatMs - fromMs < HELD_UP_MS) return;
  }
}
