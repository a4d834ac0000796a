import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { askAdmin } from '../../src/cli/running-gateway';
import { loadConfig, type Config } from '../../src/config';
import { listen } from '../listen';

test.each(['127.0.0.1', '::1'])(
  'every question to %s opens a connection of its own: a kept one could end while a plan is computed',
  async (host) => {
    let connections = 0;
    const server = createServer((request, response) => response.end(JSON.stringify({ method: request.method })));
    server.on('connection', () => (connections += 1));
    const { port, close } = await listen(server, 0, host);
    const config = configOf(host, port);
    try {
      expect(await askAdmin(config, 'GET', '/mapping/files')).toEqual({ status: 200, body: { method: 'GET' } });
      await sleep(20);
      expect(await askAdmin(config, 'POST', '/mapping/apply', {})).toEqual({ status: 200, body: { method: 'POST' } });
      expect(connections).toBe(2);
    } finally {
      await close();
    }
  },
);

function configOf(host: string, port: number): Config {
  const loaded = loadConfig({ ADMIN_HOST: host, ADMIN_PORT: String(port) }, __dirname);
  if (!('config' in loaded)) throw new Error('these settings are refused');
  return loaded.config;
}
