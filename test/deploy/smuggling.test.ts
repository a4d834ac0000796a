/**
 * The shipped fronts in front of a gateway, with every framing that two readers may read differently. A front must forward each
 * request whole, alone on its connection; a purchase behind it or in its body is sold only where the script's own bytes ask for
 * it.
 */
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { listen } from '../listen';
import { DOORS, GROUPS, isWhole, write, type Framing } from '../probe/framings';
import { idOf, openRawHouse, sendBytes, type RawHouse } from '../probe/raw-house';
import { readAsRfc, type ReadRequest } from '../probe/rfc-reader';
import { SELF_SIGNED } from '../upstream/self-signed';
import { describeWith } from './installed';
import { FRONTS, startFront, type Front } from './start-front';

/** A front that waits for the rest of a broken request is not waited for. */
const PATIENCE_MS = 700;
const AT_ONCE = 24;

const IN_DOUBT = ['a Content-Length', 'a Transfer-Encoding', 'a purchase in a body'];

interface Row {
  readonly group: string;
  readonly framing: Framing;
  readonly bytes: string;
  readonly ids: readonly string[];
}

/** Stands between front and gateway and keeps the front's bytes by connection. */
async function openByteLog(gatewayPort: number) {
  const heard: { bytes: string }[] = [];
  const server = createServer((front) => {
    const one = { bytes: '' };
    heard.push(one);
    const gateway = connect(gatewayPort, '127.0.0.1');
    front.on('data', (part) => (one.bytes += part.toString('latin1')));
    front.pipe(gateway).pipe(front);
    front.on('error', () => gateway.destroy()).on('close', () => gateway.destroy());
    gateway.on('error', () => front.destroy()).on('close', () => front.destroy());
  });
  return { ...(await listen(server)), heard };
}

describe.each(FRONTS)('%s', (name) => {
  describeWith(name, [name === 'nginx' ? '-v' : 'version'], 'before a gateway', () => {
    let raw: RawHouse;
    let byteLog: Awaited<ReturnType<typeof openByteLog>>;
    let front: Front;
    beforeAll(async () => {
      raw = await openRawHouse({ TRUSTED_PROXIES: '127.0.0.1' });
      byteLog = await openByteLog(raw.port);
      front = await startFront(name, byteLog.url);
    }, 60_000);
    afterAll(async () => {
      await front?.end();
      await byteLog.close();
      await raw.close();
    });

    /**
     * Sends a row and gives the ids that may be sold: the first purchase of a row and the one behind it, but only what the RFC
     * reads where the length is in doubt.
     */
    async function send({ group, bytes, ids }: Row): Promise<readonly (string | undefined)[]> {
      const { requests, rest } = readAsRfc(bytes);
      await sendBytes(front.port, bytes, {
        methods: requests.map(({ method }) => method),
        open: () => connectTls({ port: front.port, host: '127.0.0.1', ca: SELF_SIGNED.cert, ALPNProtocols: ['http/1.1'] }),
        patienceMs: PATIENCE_MS,
        until: (replies) => rest === 'nothing' && replies.length >= requests.length,
      });
      return IN_DOUBT.includes(group) ? [ids[0], ...requests.map(idOf)] : ids;
    }

    test.each([
      ['through the walk', ['a purchase in a body']],
      ['past the walk', Object.keys(GROUPS)],
    ])(
      'in every framing one request leaves the front on a connection, and none that was not sent: %s',
      async (door, groups) => {
        const rows = groups.flatMap((group) =>
          GROUPS[group]!.map((framing) => ({ group, framing, ...write(framing, DOORS[door]!, '127.0.0.1') })),
        );
        const asked: (string | undefined)[] = [];
        for (let at = 0; at < rows.length; at += AT_ONCE)
          asked.push(...(await Promise.all(rows.slice(at, at + AT_ONCE).map(send))).flat());
        await sleep(PATIENCE_MS);

        const faults: string[] = [];
        const forwarded: ReadRequest[] = [];
        for (const { bytes } of byteLog.heard.splice(0)) {
          const { requests, rest } = readAsRfc(bytes);
          if (requests.length > 1 || rest === 'unread') faults.push(`more than a request: ${JSON.stringify(bytes)}`);
          if (rest === 'nothing') forwarded.push(...requests);
        }
        // Besides purchases the gateway asks v1 for balances.
        const sold = raw.seen.filter((request) => rows.some(({ ids }) => ids.includes(idOf(request)!)));
        for (const request of sold) {
          const id = idOf(request);
          const row = JSON.stringify(rows.find(({ ids }) => ids.includes(id!))?.framing);
          const came = forwarded.filter((one) => idOf(one) === id);
          if (!asked.includes(id)) faults.push(`${id} was not asked for: ${row}`);
          if (came.length !== 1 || !isWhole(request, came[0])) faults.push(`${id} is not what was forwarded: ${row}`);
          if (sold.filter((other) => idOf(other) === id).length > 1) faults.push(`${id} was sold twice: ${row}`);
        }
        expect(faults).toEqual([]);
        expect(raw.unreadable).toEqual([]);
        expect(sold.length).toBeGreaterThan(0);
      },
      120_000,
    );
  });
});
