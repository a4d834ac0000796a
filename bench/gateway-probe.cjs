// Loaded into the gateway before it starts, for its benchmark: measures the process from inside when the parent asks.
const { monitorEventLoopDelay, performance } = require('node:perf_hooks');
const { Session } = require('node:inspector');
const { writeHeapSnapshot } = require('node:v8');

const RESOLUTION_MS = 10;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

function heapBytes() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** After a snapshot V8 keeps the id of each object and follows each that its collector moves, in more memory and slower collections. */
function forgetObjectIds() {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.enable');
  session.post('HeapProfiler.disable');
  session.disconnect();
}

/** What held requests cost. */
function holding() {
  const heap = heapBytes();
  const active = process.getActiveResourcesInfo();
  const [timers, sockets] = ['Timeout', 'TCPSocketWrap'].map((kind) => active.filter((name) => name === kind).length);
  return { heap, rss: process.memoryUsage.rss(), timers, sockets };
}

/** `begin` and `end` enclose a turn. What else is asked for stops the process, so it comes outside of turns. */
process.on('message', (question) => {
  if (question === 'heap') return process.send(heapBytes());
  if (question === 'holding') return process.send(holding());
  if (question.snapshot !== undefined) {
    const file = writeHeapSnapshot(question.snapshot);
    forgetObjectIds();
    return process.send(file);
  }
  delay.disable();
  const { user, system } = process.cpuUsage();
  // Node measures the time between two samples, including the interval that was asked for.
  const lateMs = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  process.send({ cpuMicros: user + system, loopMs: { p99: lateMs(delay.percentile(99)), max: lateMs(delay.max) } });
  delay.reset();
  // While other programs have their turn, a delay here does not count.
  if (question === 'begin') delay.enable();
});
// The gateway ends when it is told to, measured or not, and together with the process that started it.
process.channel.unref();
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
