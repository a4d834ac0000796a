/**
 * A process that was stopped or starved of processor (a paused container, a machine that is moved) finds old things in its buffers when it goes on: a request
 * together with the hang-up of its script, or v1's answer together with that hang-up. It would sell to a script that another gateway has served meanwhile, or count a
 * reply as delivered that nobody reads.
 */

/** A process without a beat for so long was stopped or got no processor. */
const HELD_UP_MS = 100;
const BEAT_MS = 50;
/** One without a beat for so long stood still: a request may have waited for it while its twin was answered. A busy machine makes shorter pauses all the time. */
const STOOD_STILL_MS = 500;
const READINGS_MAX = 3;
/** After that it still meets connections that were made meanwhile: the system gives one of them in a turn, and a hang-up a turn behind its request. */
const CATCHING_UP_MS = 2_000;

/** When this process had last read all that had arrived, by `performance.now()`. */
let lastBeatMs = -Infinity;
let steadyFromMs = Infinity;
/** The last beat before the process stood still, and until when it catches up with that. A stop before it has caught up belongs to the one before. */
let stoodStill = { fromMs: 0, untilMs: 0 };
let beating: NodeJS.Timeout | undefined;

function beat(): void {
  const nowMs = performance.now();
  const heldUpMs = nowMs - lastBeatMs;
  if (heldUpMs >= HELD_UP_MS) steadyFromMs = nowMs + CATCHING_UP_MS;
  if (heldUpMs >= STOOD_STILL_MS && heldUpMs < Infinity)
    stoodStill = { fromMs: nowMs < stoodStill.untilMs ? stoodStill.fromMs : lastBeatMs, untilMs: steadyFromMs };
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

/** How long a request that was read at this time may have waited unread: since the process stood still, if that was lately. */
export function heldUpFor(readAtMs: number): number {
  // The request may be read before the first beat after a stop.
  if (beating !== undefined && performance.now() - lastBeatMs >= STOOD_STILL_MS) beat();
  return performance.now() < stoodStill.untilMs ? Math.max(0, readAtMs - stoodStill.fromMs) : 0;
}

async function readOn(): Promise<void> {
  for (let readings = 0; readings < READINGS_MAX; readings += 1) {
    const fromMs = performance.now();
    await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
    beat();
    if (lastBeatMs - fromMs < HELD_UP_MS) return;
  }
}
