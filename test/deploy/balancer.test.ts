/** deploy/haproxy.cfg as run by Debian's HAProxy, in front of two servers that break: what the balancer itself may do to a sale. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess } from '../end-process';
import { DEPLOY } from '../fleet/start-fleet';
import { freePort } from '../free-port';
import { listen, type Listening } from '../listen';
import { until } from '../until';
import { describeWith } from './installed';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';

describeWith('haproxy', ['-v'], 'HAProxy before two gateways', () => {
  const arrived: string[] = [];
  const opened: Listening[] = [];
  let balancer: ChildProcess;
  let port: number;

  /** Answers each request, except for one to `/break`: there the connection ends without an answer. */
  const openGateway = async (): Promise<Listening> => {
    const server = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .on('data', (bytes) => {
          arrived.push(bytes.toString());
          if (arrived.at(-1)!.includes('/break')) socket.destroy();
          else socket.write(OK);
        });
    });
    opened.push(await listen(server));
    return opened.at(-1)!;
  };
  beforeAll(async () => {
    port = await freePort();
    const admin = await listen(createHttpServer((_request, response) => response.end('{}')));
    opened.push(admin);
    const env: Record<string, string | undefined> = {
      ...process.env,
      BALANCER_ADDRESS: `127.0.0.1:${port}`,
      BALANCER_FILES: DEPLOY,
    };
    for (const number of [1, 2]) {
      env[`GATEWAY_${number}`] = `127.0.0.1:${(await openGateway()).port}`;
      env[`GATEWAY_${number}_ADMIN_PORT`] = String(admin.port);
    }
    balancer = spawn('haproxy', ['-db', '-f', join(DEPLOY, 'haproxy.cfg')], { env, stdio: 'ignore' });
    await until(async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))?.status === 200);
    arrived.length = 0;
  }, 30_000);
  afterAll(async () => {
    await endProcess(balancer);
    for (const one of opened) await one.close();
  });

  /** Sends the requests one after the other, on one connection as long as the balancer keeps it. Returns what each was told. */
  const askInTurn = async (paths: readonly string[], headers = ''): Promise<readonly string[]> => {
    const told: string[] = [];
    const open = () => connect(port, '127.0.0.1').on('error', () => undefined).on('data', (part) => (told[told.length - 1] += part.toString())); // prettier-ignore
    let socket = open();
    for (const path of paths) {
      if (socket.destroyed || socket.readableEnded) socket = open();
      told.push('');
      socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: 3\r\n\r\na=1`);
      await sleep(300);
    }
    socket.destroy();
    return told;
  };

  test.each([[['/break']], [['/first', '/break']]])(
    'where the gateway dies with the last of %j, that is told "pending"',
    async (paths) => {
      expect((await askInTurn(paths)).at(-1)).toContain('"status":"pending"');
      expect(arrived.filter((one) => one.includes('/break'))).toHaveLength(1);
      arrived.length = 0;
    },
  );

  test('the address of whoever connects is the only forwarded one', async () => {
    await askInTurn(['/address'], 'X-Forwarded-For: 10.0.0.9\r\n');
    expect(arrived.at(-1)!.match(/^x-forwarded-for: .*$/gim)).toEqual([expect.stringMatching(/: 127\.0\.0\.1$/)]);
  });

  test('where no gateway runs, a sale is refused as unread, and a question about an order is pending', async () => {
    await opened.shift()!.close();
    const post = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: 'a=1' });
    await until(async () => (await post('/api/topup/')).status === 503);
    const refused = await post('/api/topup/');
    expect(await refused.text()).toBe(readFileSync(join(DEPLOY, 'unread.http'), 'utf8').split('\r\n\r\n')[1]);
    expect([refused.headers.get('content-type'), refused.headers.get('cache-control')]).toEqual([
      'application/json; charset=utf-8',
      'no-store',
    ]);
    const questions = [await post('/api/transaction/'), await post('/api/data/requery/1')];
    for (const asked of [...questions, await fetch(`http://127.0.0.1:${port}/api/transaction/1`)])
      expect([asked.status, await asked.json()]).toEqual([200, expect.objectContaining({ status: 'pending' })]);
  });
});
