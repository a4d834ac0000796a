import { createServer, type AddressInfo, type Server } from 'node:net';
import type { Clock } from '../src/domain/clock';
import { createLog } from '../src/telemetry/log';
import { watchUpstream, type UpstreamWatch } from '../src/watch-upstream';

let lines: Record<string, unknown>[];
let due: (() => void) | undefined;
let watching: UpstreamWatch | undefined;
const servers: Server[] = [];
beforeEach(() => {
  lines = [];
  due = undefined;
});
afterEach(async () => {
  watching?.stop();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
/** Stands still; what is to happen later happens when the test says so. */
const clock = {
  now: () => 0,
  after: (_ms: number, run: () => void) => {
    due = run;
    return () => (due = undefined);
  },
} as unknown as Clock;

async function serve(port = 0): Promise<number> {
  const server = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .resume()
      .end(),
  );
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue() && tries < 500; tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isTrue()).toBe(true);
}

test('an address where nothing answers is said once, without its credentials, and so is the first answer', async () => {
  const port = await serve();
  await new Promise((resolve) => servers.pop()!.close(resolve));
  watching = watchUpstream(`http://somebody:hidden-word@127.0.0.1:${port}/api/v1`, { clock, log });
  await until(() => due !== undefined);
  expect(lines).toEqual([
    expect.objectContaining({ level: 'warn', event: 'upstream_unreachable', host: `127.0.0.1:${port}`, code: 'ECONNREFUSED' }),
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/hidden-word|somebody/);

  const again = due!;
  due = undefined;
  again();
  await until(() => due !== undefined);
  expect(lines).toHaveLength(1);

  await serve(port);
  due!();
  await until(() => lines.length === 2);
  expect(lines[1]).toMatchObject({ level: 'info', event: 'upstream_answers', host: `127.0.0.1:${port}` });
});

test('an address that answers is not worth a line', async () => {
  let connections = 0;
  const port = await serve();
  servers[0]!.on('connection', () => (connections += 1));
  watching = watchUpstream(`http://127.0.0.1:${port}/api/v1`, { clock, log });
  await until(() => connections === 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect({ lines, due }).toEqual({ lines: [], due: undefined });
});

test('an https address needs somebody who speaks TLS', async () => {
  const port = await serve();
  watching = watchUpstream(`https://127.0.0.1:${port}/api/v1`, { clock, log });
  await until(() => due !== undefined);
  expect(lines).toEqual([expect.objectContaining({ event: 'upstream_unreachable', host: `127.0.0.1:${port}` })]);
});

test('after a stop nothing is looked at and nothing said', async () => {
  const port = await serve();
  await new Promise((resolve) => servers.pop()!.close(resolve));
  watching = watchUpstream(`http://127.0.0.1:${port}`, { clock, log });
  watching.stop();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect({ lines, due }).toEqual({ lines: [], due: undefined });
});
