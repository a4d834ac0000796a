// Loaded into the gateway before it starts, for its benchmark: measures the process from inside when the parent asks.
const { monitorEventLoopDelay, performance } = require('node:perf_hooks');

const RESOLUTION_MS = 10;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

function heapBytes() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** `begin` collects garbage before it looks at the CPU and `end` after, so that neither collection is counted. */
process.on('message', (question) => {
  const heap = question === 'begin' ? heapBytes() : undefined;
  const { user, system } = process.cpuUsage();
  // Node counts the time between two looks, the distance that was asked for included.
  const lateMs = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  const loopMs = { p99: lateMs(delay.percentile(99)), max: lateMs(delay.max) };
  process.send({ cpuMicros: user + system, loopMs, heap: heap ?? heapBytes() });
  delay.reset();
});
// The gateway ends when it is told to, whether or not somebody measures it; and with whoever started it.
process.channel.unref();
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
