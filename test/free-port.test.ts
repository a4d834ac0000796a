import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { ephemeralRange, freePort, takePort } from './free-port';
import { listen } from './listen';

test('a free port lies where the system gives none to sockets that name none', async () => {
  const { first, last } = ephemeralRange();
  const { port: given, close } = await listen(createServer());
  await close();
  expect([given >= first, given <= last]).toEqual([true, true]);
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  expect(ports.filter((port) => port >= first && port <= last)).toEqual([]);
});

test('no port is given twice while this process lives, however many ask at once', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, freePort));
  expect(new Set(ports).size).toBe(ports.length);
  const [taken, other] = ports as [number, number];
  await expect(takePort([taken, other])).rejects.toThrow('No port is free');
});

test('a port that was given is claimed for every process of this machine, and open to the program it is for', async () => {
  const port = await freePort();
  const rival = createSocket('udp4');
  rival.bind({ port, address: '127.0.0.1', exclusive: true });
  await expect(once(rival, 'listening')).rejects.toMatchObject({ code: 'EADDRINUSE' });
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const program = await listen(createServer(), port, host);
    await program.close();
  }
});

test('a port at which somebody listens is passed over', async () => {
  const [taken, other] = [await freePort(), await freePort()];
  const { port, close } = await listen(createServer());
  await expect(takePort([taken, port, other])).rejects.toThrow('No port is free');
  await close();
});
