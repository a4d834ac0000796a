import { createServer } from 'node:net';
import { listening, routesBehindV1 } from '../../src/start/listening';
import { configFor } from '../flows/house';
import { listen } from '../listen';
import { shippedMapping } from '../mapping/mapping-set';
import { opened } from '../opened';

const taken = opened(() => listen(createServer()));

async function bind(onPort: number, host: string): Promise<number> {
  const { port, close } = await listen(createServer(), onPort, host);
  await close();
  return port;
}

const NAMES = {
  public: ['PORT', 'HOST'],
  admin: ['ADMIN_PORT', 'ADMIN_HOST'],
  sandbox: ['SANDBOX_PORT', 'SANDBOX_HOST'],
} as const;

test.each(['public', 'admin', 'sandbox'] as const)(
  'a taken port of the %s server is reported with its settings',
  async (server) => {
    const [portName, hostName] = NAMES[server];
    const config = configFor('/tmp', { [portName]: String(taken.port), [hostName]: '127.0.0.1' });
    await expect(listening(config, server, bind)).rejects.toThrow(
      `${portName} is ${taken.port}, where another program listens already (on 127.0.0.1); choose another ${portName} or stop that program.`,
    );
  },
);

test('a HOST that is no address of this machine is reported', async () => {
  // RFC 5737: an address for documentation, which no machine has.
  await expect(listening(configFor('/tmp', { HOST: '192.0.2.1' }), 'public', bind)).rejects.toThrow(
    'HOST is 192.0.2.1, which is no address of this machine.',
  );
});

test('listening() returns the value of the server, and passes on an error without a code', async () => {
  expect(await listening(configFor('/tmp'), 'public', bind)).toBeGreaterThan(0);
  const bug = new Error('a bug');
  await expect(listening(configFor('/tmp'), 'public', () => Promise.reject(bug))).rejects.toBe(bug);
});

test('no route of the shipped mappings is hidden by the default V1_PATH', () => {
  expect(routesBehindV1(shippedMapping(), '/api/v1')).toBeUndefined();
});

test('a V1_PATH that hides routes from scripts is reported with one of the routes', () => {
  expect(routesBehindV1(shippedMapping(), '/api')).toMatch(
    /^V1_PATH is \/api, .* would not reach (GET|POST) \/api\/\S+ and \d+ more\. Choose a V1_PATH that the mappings do not use\.$/,
  );
});

test('a route equal to V1_PATH is hidden, and a route that only begins with the same letters is not', () => {
  const routes = [{ methods: ['POST'], path: '/v1', operation: 'buy', format: undefined }];
  const formats = new Map();
  expect(routesBehindV1({ routes, formats }, '/v1')).toContain('would not reach POST /v1. Choose');
  expect(routesBehindV1({ routes, formats }, '/v')).toBeUndefined();
});

test.each(['/a', '/b/api', '/c/api/airtime'])(
  'V1_PATH=%s is reported, because it hides addresses that pin a format',
  (v1Path) => {
    expect(routesBehindV1(shippedMapping(), v1Path)).toMatch(
      new RegExp(`^V1_PATH is ${v1Path}, .* would not reach (GET|POST) ${v1Path}(/\\S*)?( and \\d+ more)?\\. Choose`),
    );
    expect(routesBehindV1(shippedMapping(), `${v1Path}/v1`)).toBeUndefined();
  },
);
