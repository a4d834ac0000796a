// The scripts of the gateway's benchmark: a number of them at a time, each asking again as soon as it is answered, or all
// together at a given rate. One order per message from the parent: { url, name, run, connections, isKept, seconds, rate },
// `requestsMax` to end earlier, `isFirst` when what the requests are about must be bought before them, `isTold` to hear of every request.
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { quantile } from './gateway-report.mjs';
import { REQUESTS } from './gateway-requests.mjs';
import { eachMessage } from './gateway-wire.mjs';

process.on('message', async (order) => process.send(await load(order)));
process.on('disconnect', () => process.exit());

async function load({
  url,
  name,
  run,
  connections,
  isKept,
  seconds,
  rate,
  requestsMax = Infinity,
  isFirst = false,
  isTold = false,
}) {
  const { port } = new URL(url);
  const { first = [], request } = REQUESTS[name];
  const take = { times: [], told: [], refused: 0, broken: 0, sample: undefined };
  if (isFirst) for (const bytes of first) await once(port, bytes);
  let next = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  /** When the next request is due, or undefined when the time is up. A late request counts from when it was due. */
  const dueNext = () => {
    const now = performance.now();
    const dueAt = rate === 0 ? now : startedAt + (next / rate) * 1_000;
    return dueAt >= endsAt || now >= endsAt || next >= requestsMax ? undefined : dueAt;
  };
  const scripts = Array.from({ length: connections }, () =>
    script({ port, isKept, dueNext, bytes: () => request(next++, run), take }),
  );
  await Promise.all(scripts);
  const tookMs = performance.now() - startedAt;
  const { times, told, refused, broken, sample } = take;
  const took = {
    requests: times.length,
    tookMs,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    refused,
    broken,
    sample,
  };
  return isTold ? { ...took, told } : took;
}

/** One script: sends, reads and sends again, on the same connection or on a new one each time. */
function script({ port, isKept, dueNext, bytes, take }) {
  return new Promise((done) => {
    let socket;
    let dueAt;
    let isAsking = false;
    const ask = () => {
      dueAt = dueNext();
      if (dueAt === undefined) {
        socket?.destroy();
        return done();
      }
      const sent = bytes();
      const send = () => {
        isAsking = true;
        // A timer may come up to a millisecond early.
        dueAt = Math.min(dueAt, performance.now());
        if (socket === undefined || !isKept) open();
        socket.write(sent);
      };
      const waitMs = dueAt - performance.now();
      if (waitMs > 0) setTimeout(send, waitMs);
      else send();
    };
    const open = () => {
      const own = connect(Number(port), '127.0.0.1').setNoDelay(true);
      socket = own;
      eachMessage(own, (head, body) => {
        const ms = performance.now() - dueAt;
        take.times.push(ms);
        take.told.push({ at: performance.timeOrigin + dueAt, ms });
        if (!head.startsWith('HTTP/1.1 200')) take.refused += 1;
        take.sample ??= body.slice(0, 300);
        isAsking = false;
        // The script closes the connection, as cURL does at the end of a PHP script.
        if (!isKept) own.end();
        ask();
      });
      own.on('error', () => undefined);
      own.once('close', () => {
        if (own !== socket || !isAsking) return;
        take.broken += 1;
        isAsking = false;
        socket = undefined;
        ask();
      });
    };
    ask();
  });
}

function once(port, bytes) {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1').once('error', reject);
    eachMessage(socket, () => {
      socket.end();
      resolve();
    });
    socket.write(bytes);
  });
}
