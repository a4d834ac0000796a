// A running gateway, checked by a command with its settings, with other settings, and with none.
import { createAdminServer, type AdminServer } from '../../../src/admin/admin-server';
import { createReadRouter } from '../../../src/admin/read-routers';
import { examine, type Named } from '../../../src/cli/doctor';
import { askRunning } from '../../../src/cli/running-gateway';
import { describeConfig, type Config } from '../../../src/config';
import { Secret } from '../../../src/domain/credentials';
import { readOpenFilesLimit } from '../../../src/start/descriptors';
import { createMetrics } from '../../../src/telemetry/metrics';
import { configFor, send, useHouse } from '../../flows/house';

const RUNNING = { pid: 1, node: 'v24.0.0', startedAtMs: 1, publicUrl: '', upstreamUrl: '', sandbox: undefined };
const SECRET = '0123456789abcdef0123456789abcdef';
const house = useHouse({ env: { GATEWAY_SECRET: SECRET } });

/** The ports as their owner sets them; the test has free ones instead. */
const settings = (env: Record<string, string> = {}): Config =>
  configFor(house.dataDir, { GATEWAY_SECRET: SECRET, ADMIN_PORT: new URL(house.service.adminUrl).port, ...env });

const told = async (config: Config, check: string): Promise<readonly Named[]> =>
  (await examine(config, undefined)).filter((finding) => finding.check === check);
const brief = (findings: readonly Named[]): string[] => findings.map(({ level, what }) => `${level}: ${what}`);

test('a gateway that works, and one with other settings', async () => {
  // Its own port was 0 when it started.
  const [ready, other] = await told(settings({ LOG_LEVEL: 'debug' }), 'gateway');
  expect(ready).toMatchObject({ level: 'well', what: expect.stringMatching(/runs and is ready, on Node \d+/) as string });
  expect(other).toMatchObject({ level: 'mend', what: expect.stringMatching(/LOG_LEVEL is info there, debug here/) as string });
  expect(JSON.stringify(other)).not.toContain(SECRET);
  expect(await askRunning(settings())).toMatchObject({ node: process.version, openFilesMax: readOpenFilesLimit() });
});

test('no gateway answers', async () => {
  expect(brief(await told(settings({ ADMIN_PORT: '1' }), 'gateway'))).toEqual(['note: No gateway answers at 127.0.0.1:1.']);
});

describe('another program on the port, or a gateway that answers with an error', () => {
  let server: AdminServer;
  let port: number;
  beforeAll(async () => {
    server = createAdminServer({
      token: new Secret('correct-horse-battery'),
      registry: createMetrics({ hasProcessMetrics: false }).registry,
      readiness: () => ({ waitingFor: ['journal'] }),
      routers: [{ path: '/running', router: createReadRouter(() => ({ ...RUNNING, settings: describeConfig(settings()) })) }],
    });
    ({ port } = await server.listen(0, '127.0.0.1'));
  });
  afterAll(() => server.close());

  test('a gateway that refuses the token', async () => {
    const config = settings({ ADMIN_PORT: String(port), ADMIN_TOKEN: 'another-horse-battery' });
    expect(brief(await told(config, 'gateway'))).toEqual([
      expect.stringMatching(/^mend: The server at .* does not accept the ADMIN_TOKEN/),
    ]);
  });

  test('a gateway that waits for its journal', async () => {
    const config = settings({ ADMIN_PORT: String(port), ADMIN_TOKEN: 'correct-horse-battery' });
    const [finding] = await told(config, 'gateway');
    expect(finding).toMatchObject({
      level: 'mend',
      what: expect.stringMatching(/waits for journal/) as string,
      todo: expect.stringMatching(/disk/) as string,
    });
  });
});

test('a proxy in front that TRUSTED_PROXIES does not name, and a network that is too wide', async () => {
  expect(brief(await told(settings(), 'proxies'))).toEqual(['well: No proxy is trusted, and none was seen.']);
  await send(house.url, '/api/user/', undefined, { headers: { 'X-Forwarded-For': '203.0.113.9' } });
  const [unnamed] = await told(settings(), 'proxies');
  expect(unnamed).toMatchObject({
    level: 'mend',
    what: expect.stringMatching(/^1 requests came with X-Forwarded-For/) as string,
    todo: expect.stringMatching(/Set TRUSTED_PROXIES/) as string,
  });
  expect(brief(await told(settings({ TRUSTED_PROXIES: '10.0.0.0/8, 192.168.1.7' }), 'proxies'))).toContain(
    'mend: TRUSTED_PROXIES is wide: 10.0.0.0/8.',
  );
});

test.each([
  [{ ADMIN_TOKEN: 'short' }, 'mend: ADMIN_TOKEN is easily guessed.'],
  [{ ADMIN_TOKEN: 'changeme-changeme-changeme' }, 'mend: ADMIN_TOKEN is easily guessed.'],
  [{ ADMIN_TOKEN: SECRET, ADMIN_HOST: '0.0.0.0' }, 'note: ADMIN_HOST is 0.0.0.0.'],
  [{ ADMIN_TOKEN: SECRET }, 'well: The admin server asks for a token.'],
  [{}, 'well: The admin server is open on this machine only.'],
])('the admin port with the settings %j', async (env, said) => {
  const findings = await told(settings({ ADMIN_PORT: '1', ...env }), 'admin port');
  expect(brief(findings)).toEqual([said]);
  expect(JSON.stringify(findings)).not.toContain(SECRET);
});
