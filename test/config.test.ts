import { writeFileSync } from 'node:fs';
import { availableParallelism, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { CONFIG_KEYS, describeConfig, loadConfig, type Config, type Environment } from '../src/config';
import { newFolder } from './new-folder';

function folderWith(yaml?: string, name = 'compat-gateway.yaml'): string {
  const folder = newFolder();
  if (yaml !== undefined) writeFileSync(join(folder, name), yaml);
  return folder;
}

function load(env: Environment, yaml?: string): Config {
  const loaded = loadConfig(env, folderWith(yaml));
  if ('problems' in loaded) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
}

function problems(env: Environment, yaml?: string): readonly string[] {
  const loaded = loadConfig(env, folderWith(yaml));
  return 'problems' in loaded ? loaded.problems : [];
}

describe('the configuration', () => {
  it('needs nothing set: everything has a default', () => {
    const cwd = folderWith();
    const loaded = loadConfig({}, cwd);
    expect(loaded).toMatchObject({
      config: {
        host: '0.0.0.0',
        port: 8080,
        adminHost: '127.0.0.1',
        adminPort: 9090,
        v1Path: '/api/v1',
        sandboxHost: '127.0.0.1',
        sandboxPort: 8081,
        sandboxRelaxed: false,
        dataDir: join(cwd, 'data'),
        mappingsDir: join(cwd, 'mappings'),
        workers: 1,
        trustedProxies: [],
        logLevel: 'info',
        nodeEnv: 'development',
      },
    });
    const { config } = loaded as { config: Config };
    expect(config.journalUrl).toBe('lmdb:');
    expect(config.upstreamUrl).toBeUndefined();
    expect(config.adminToken).toBeUndefined();
    expect(config.gatewaySecret).toBeUndefined();
  });

  it('reads every variable that operators rely on', () => {
    const config = load({
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_HOST: '0.0.0.0',
      ADMIN_PORT: '9000',
      ADMIN_TOKEN: 'let-me-in',
      UPSTREAM_URL: 'https://v1.example/api/v1/',
      V1_PATH: '/v1',
      SANDBOX_HOST: 'localhost',
      SANDBOX_PORT: '8088',
      SANDBOX_RELAXED: '1',
      JOURNAL_URL: 'lmdb:/var/lib/j',
      DATA_DIR: '/var/lib/x',
      MAPPINGS_DIR: '/etc/x',
      DRAIN_SECONDS: '30',
      WORKERS: '4',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      PASSTHROUGH_HEADERS: 'X-Tenant, Cookie',
      LOOKUP_API_KEY: 'acme_live_demo',
      LOG_LEVEL: 'DEBUG',
      GATEWAY_SECRET: 'f'.repeat(64),
      TOKEN_DAYS: '7',
      TIME_ZONE: 'Africa/Accra',
      NODE_ENV: 'production',
    });
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 0,
      upstreamUrl: 'https://v1.example/api/v1',
      sandboxRelaxed: true,
      dataDir: '/var/lib/x',
      mappingsDir: '/etc/x',
      drainSeconds: 30,
      timeZone: 'Africa/Accra',
      workers: 4,
      trustedProxies: ['10.0.0.0/8', '::1'],
      passthroughHeaders: ['x-tenant', 'cookie'],
      logLevel: 'debug',
    });
    expect(config.lookupApiKey?.revealForUseOnly()).toBe('acme_live_demo');
  });

  it('counts an empty variable as unset', () => {
    expect(load({ PORT: '', UPSTREAM_URL: ' ' })).toMatchObject({ port: 8080 });
  });

  it('runs one worker per core on request', () => {
    expect(load({ WORKERS: 'auto' }).workers).toBe(availableParallelism());
  });

  it('has the demo key for lookups only beside the embedded sandbox', () => {
    expect(load({}).lookupApiKey?.revealForUseOnly()).toBe('sandbox_demo');
    expect(load({ UPSTREAM_URL: 'https://v1.example' }).lookupApiKey).toBeUndefined();
  });

  it.each([
    ['PORT', '65536', 'a port from 0 to 65535'],
    ['PORT', '-1', 'a port from 0 to 65535'],
    ['PORT', '80.5', 'a port from 0 to 65535'],
    ['ADMIN_PORT', 'http', 'a port from 0 to 65535'],
    ['HOST', 'my host', 'a host name or an address'],
    ['DRAIN_SECONDS', '301', 'a whole number of seconds from 0 to 300'],
    ['DRAIN_SECONDS', '0.5', 'a whole number of seconds from 0 to 300'],
    ['UPSTREAM_CONNECTIONS', '0', 'a whole number from 1 to 65536'],
    ['UPSTREAM_PROBE_SECONDS', '3601', 'a whole number of seconds from 0 to 3600'],
    ['TOKEN_DAYS', '0', 'a whole number of days from 1 to 3650'],
    ['TIME_ZONE', 'Lagos', 'the name of a time zone'],
    ['TIME_ZONE', '+01:00', 'the name of a time zone'],
    ['WORKERS', '0', 'a whole number from 1 to 256 or `auto`'],
    ['WORKERS', 'many', 'a whole number from 1 to 256 or `auto`'],
    ['LOG_LEVEL', 'loud', 'one of trace, debug, info, warn, error, fatal, silent'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'addresses or networks'],
    ['TRUSTED_PROXIES', '10.0.0.1,,10.0.0.2', 'addresses or networks'],
    ['TRUSTED_PROXIES', 'proxy.example', 'addresses or networks'],
    ['TRUSTED_PROXIES', '0.0.0.0/0', 'none wider than /8'],
    ['TRUSTED_PROXIES', '10.0.0.1, ::/0', 'none wider than /8'],
    ['TRUSTED_PROXIES', '::ffff:0.0.0.0/96', 'none wider than /8'],
    ['NODE_ENV', 'prod', 'development, test or production'],
    ['NODE_ENV', 'Production', 'development, test or production'],
    ['TRUSTED_PROXIES', '0177.0.0.1', 'addresses or networks'],
    ['PASSTHROUGH_HEADERS', 'X-Tenant, X_Forwarded.For', "none that tells a caller's address"],
    ['PASSTHROUGH_HEADERS', 'X-Tenant Cookie', 'names of headers'],
    ['UPSTREAM_URL', 'v1.example/api/v1', 'an http or https address'],
    ['UPSTREAM_URL', 'ftp://v1.example', 'an http or https address'],
    ['V1_PATH', 'api/v1', 'a path such as'],
    ['V1_PATH', '/api/v1/', 'a path such as'],
    ['V1_PATH', '/../v1', 'a path such as'],
    ['V1_PATH', '/', 'a path such as'],
    ['SANDBOX_RELAXED', 'maybe', '1 or 0'],
  ])('refuses %s=%s and says what was expected', (name, value, expected) => {
    const [problem, ...others] = problems({ [name]: value });
    expect(others).toEqual([]);
    expect(problem).toMatch(new RegExp(`^${name} must be `));
    expect(problem).toContain(expected);
    expect(problem).toContain(`\`${value}\``);
  });

  it.each([
    ['JOURNAL_URL', 'mysql://root:hunter2@db'],
    ['ADMIN_TOKEN', 'two words hunter2'],
    ['GATEWAY_SECRET', 'hunter2'],
    ['LOOKUP_API_KEY', 'key hunter2'],
  ])('refuses a bad %s without repeating it', (name, value) => {
    const all = problems({ [name]: value });
    expect(all).toHaveLength(1);
    expect(all[0]).toMatch(new RegExp(`^${name} must be `));
    expect(all[0]).not.toContain('hunter2');
  });

  it.each(['UPSTREAM_URL', 'TRACES_URL'])('refuses parameters in %s without repeating them', (name) => {
    for (const rest of ['?x=1', '?token=hunter2', '?a=b&key=hunter2', '#hunter2'])
      expect(problems({ [name]: `https://some.example/path${rest}` })).toEqual([
        expect.stringMatching(
          / without credentials, query or fragment.*`https:\/\/some\.example\/path[?#]\[secret\]`\.$/,
        ) as string,
      ]);
  });

  it.each(['https://user:hunter2@v1.example', 'https://hunter2@v1.example/api', 'user:hunter2@v1', 'https://u:hunter2/@@v1'])(
    'refuses %s as the address of v1 without repeating its credentials',
    (address) => {
      const all = problems({ UPSTREAM_URL: address });
      expect(all).toEqual([expect.stringMatching(/^UPSTREAM_URL must be .* without credentials/) as string]);
      expect(all[0]).not.toContain('hunter2');
    },
  );

  it.each(['memory:', 'MEMORY:'])('keeps no journal in memory (%s) in production', (url) => {
    const production = { NODE_ENV: 'production', UPSTREAM_URL: 'sandbox' };
    expect(problems({ ...production, JOURNAL_URL: url })).toEqual([
      'JOURNAL_URL must not be `memory:` with NODE_ENV=production: a restart would forget every order. Leave it unset, or set `lmdb:/path`.',
    ]);
    expect(load({ ...production, JOURNAL_URL: 'lmdb:/var/lib/j' }).journalUrl).toBe('lmdb:/var/lib/j');
    expect(load({ JOURNAL_URL: url }).journalUrl).toBe(url);
  });

  it('takes a journal of several machines only with the secret that they share', () => {
    const url = 'postgres://gateway:hunter2@db.example/orders?sslmode=verify-full&password=hunter2';
    expect(problems({ JOURNAL_URL: url })).toEqual([
      'GATEWAY_SECRET must be set when JOURNAL_URL is PostgreSQL: with different secrets, one gateway does not find the orders of another. If there is a gateway.secret in DATA_DIR, use its content.',
    ]);
    const config = load({ JOURNAL_URL: url, GATEWAY_SECRET: '0'.repeat(32) });
    expect(config.journalUrl).toBe(url);
    const value = 'postgres://[secret]@db.example/orders?sslmode=verify-full&password=[secret]';
    expect(describeConfig(config)).toContainEqual({ name: 'JOURNAL_URL', value, source: undefined });
  });

  it('refuses a v1 address that is the gateway itself', () => {
    for (const address of [
      'http://127.0.0.1:8080/api/v1',
      'http://localhost:8080',
      'http://[::1]:8080/api/v1',
      'http://0.0.0.0:8080',
    ])
      expect(problems({ UPSTREAM_URL: address })).toEqual([
        'UPSTREAM_URL leads back to this gateway (PORT 8080): it must be the address of v1.',
      ]);
    expect(problems({ HOST: '192.0.2.1', PORT: '80', UPSTREAM_URL: 'http://192.0.2.1/api/v1' })).toHaveLength(1);
    expect(problems({ UPSTREAM_URL: 'http://127.0.0.1:8081/api/v1' })).toEqual([]);
    expect(problems({ HOST: '192.0.2.1', UPSTREAM_URL: 'http://127.0.0.1:8080/api/v1' })).toEqual([]);
    expect(problems({ UPSTREAM_URL: 'https://v1.example:8080' })).toEqual([]);
    for (const { address } of Object.values(networkInterfaces()).flatMap((own = []) =>
      own.filter(({ family }) => family === 'IPv4'),
    )) {
      expect(problems({ UPSTREAM_URL: `http://${address}:8080/api/v1` })).toHaveLength(1);
      expect(problems({ UPSTREAM_URL: `http://${address}:8081/api/v1` })).toEqual([]);
    }
  });

  it('refuses a place for written files in the mappings folder', () => {
    expect(problems({ MAPPINGS_DIR: './files', DATA_DIR: './files/data' })).toEqual([
      'DATA_DIR must not lie in MAPPINGS_DIR: the gateway would read its own files as mapping files. Choose another place for one of them.',
    ]);
    expect(problems({ DATA_DIR: './mappings' })).toHaveLength(1);
    expect(problems({ LOG_FILE: './mappings/gateway.log', MAPPINGS_WATCH: '1' })).toEqual([
      expect.stringMatching(/^LOG_FILE must not lie in MAPPINGS_DIR/) as string,
    ]);
    expect(problems({ LOG_FILE: './mappings/gateway.log' })).toEqual([]);
    expect(problems({ DATA_DIR: './mappings-data', MAPPINGS_DIR: './data/mappings' })).toEqual([]);
  });

  it('reports all problems at once', () => {
    expect(problems({ PORT: 'x', WORKERS: 'y' })).toHaveLength(2);
  });

  it('requires a choice of v1 in production', () => {
    expect(problems({ NODE_ENV: 'production' })).toEqual([expect.stringMatching(/^UPSTREAM_URL must be set/) as string]);
    expect(load({ NODE_ENV: 'production', UPSTREAM_URL: 'sandbox' }).upstreamUrl).toBeUndefined();
  });

  it.each(['0.0.0.0', '::', '192.0.2.1', 'admin.example'])(
    'refuses to let the admin server listen on %s without a token',
    (adminHost) => {
      expect(problems({ ADMIN_HOST: adminHost })).toEqual([expect.stringContaining('ADMIN_TOKEN must be set') as string]);
      expect(problems({ ADMIN_HOST: adminHost, ADMIN_TOKEN: 'let-me-in' })).toEqual([]);
    },
  );

  it('refuses two servers on one port', () => {
    expect(problems({ PORT: '9090' })).toEqual(['PORT and ADMIN_PORT are both 9090; each server needs a port of its own.']);
    expect(problems({ PORT: '0', ADMIN_PORT: '0', SANDBOX_PORT: '0' })).toEqual([]);
    expect(problems({ HOST: '192.0.2.1', PORT: '9090' })).toEqual([]);
    expect(problems({ SANDBOX_PORT: '8080', UPSTREAM_URL: 'https://v1.example' })).toEqual([]);
  });

  it('lets a command that does not serve run without what a gateway needs: a choice of v1, ports, an admin token', () => {
    const loadForCommand = (env: Environment) => loadConfig(env, folderWith(), { serves: false });
    for (const env of [
      { NODE_ENV: 'production' },
      { SANDBOX_PORT: '8080' },
      { UPSTREAM_URL: 'http://127.0.0.1:8080' },
      { ADMIN_HOST: '0.0.0.0' },
    ])
      expect(loadForCommand(env)).not.toHaveProperty('problems');
    expect(loadForCommand({ PORT: 'x' })).toHaveProperty('problems');
    expect(loadForCommand({ NODE_ENV: 'production', JOURNAL_URL: 'memory:' })).toHaveProperty('problems');
    expect(loadForCommand({ DATA_DIR: './mappings' })).toHaveProperty('problems');
  });
});

describe('the configuration file', () => {
  it('holds the same names, and the environment wins', () => {
    const yaml =
      'PORT: 8000\nADMIN_PORT: 9000\nSANDBOX_RELAXED: true\nTRUSTED_PROXIES:\n  - 10.0.0.1\n  - 10.0.0.0/8\nADMIN_TOKEN:\n';
    const config = load({ PORT: '7000' }, yaml);
    expect(config).toMatchObject({
      port: 7000,
      adminPort: 9000,
      sandboxRelaxed: true,
      trustedProxies: ['10.0.0.1', '10.0.0.0/8'],
    });
    expect(config.adminToken).toBeUndefined();
  });

  it('keeps a secret of digits as it is written', () => {
    const config = load({}, `GATEWAY_SECRET: ${'0'.repeat(30)}1e9\nADMIN_TOKEN: 0012\n`);
    expect(config.gatewaySecret?.revealForUseOnly()).toBe(`${'0'.repeat(30)}1e9`);
    expect(config.adminToken?.revealForUseOnly()).toBe('0012');
  });

  it('may be empty', () => {
    expect(load({}, '# nothing yet\n').port).toBe(8080);
  });

  it('refuses an unknown name, with its place and the most similar setting', () => {
    expect(problems({}, 'HOST: 127.0.0.1\nWROKERS: 2\n')).toEqual([
      'compat-gateway.yaml:2:1: `WROKERS` is not a setting; did you mean `WORKERS`?',
    ]);
    expect(problems({}, 'CONFIG_FILE: other.yaml\n')[0]).toContain('is not a setting');
  });

  it.each([
    ['PORT: 8080\nPORT: 8081\n', 'compat-gateway.yaml:2:1: '],
    ['PORT: [8080\n', 'compat-gateway.yaml:'],
    ['- PORT\n', 'expected lines such as'],
    ['PORT: { a: 1 }\n', 'PORT must be one value'],
    ['PORT: many\n', 'PORT in the configuration file must be a port'],
  ])('refuses %j', (yaml, expected) => {
    const [problem] = problems({}, yaml);
    expect(problem).toContain(expected);
    expect(problem).not.toContain('\n');
  });

  it('may have another name, and must then exist', () => {
    const cwd = folderWith('PORT: 8000\n', 'other.yaml');
    expect(loadConfig({ CONFIG_FILE: 'other.yaml' }, cwd)).toMatchObject({ config: { port: 8000 } });
    expect(loadConfig({ CONFIG_FILE: 'absent.yaml' }, cwd)).toEqual({
      problems: ['CONFIG_FILE names `absent.yaml`, which does not exist.'],
    });
    expect(loadConfig({ CONFIG_FILE: '.' }, cwd)).toEqual({
      problems: [expect.stringContaining('cannot be read: EISDIR') as string],
    });
  });
});

describe('the printed configuration', () => {
  const env = {
    ADMIN_TOKEN: 'hunter2-token',
    LOOKUP_API_KEY: 'hunter2-key',
    GATEWAY_SECRET: 'hunter2'.repeat(8),
    JOURNAL_URL: 'lmdb:/orders',
    UPSTREAM_URL: 'https://v1.example/api/v1',
  };

  it('has a row for every setting, with its source and without secrets', () => {
    const loaded = loadConfig(env, folderWith('PORT: 8000\n'));
    if ('problems' in loaded) throw new Error(loaded.problems.join());
    const rows = describeConfig(loaded.config, loaded.sources);
    expect(rows.map((row) => row.name)).toEqual(CONFIG_KEYS.map((key) => key.name));
    expect(rows).toEqual(
      expect.arrayContaining([
        { name: 'ADMIN_TOKEN', value: '[secret]', source: 'environment' },
        { name: 'JOURNAL_URL', value: 'lmdb:/orders', source: 'environment' },
        { name: 'PORT', value: '8000', source: 'file' },
        { name: 'HOST', value: '0.0.0.0', source: 'default' },
        { name: 'TRUSTED_PROXIES', value: 'none', source: 'default' },
        { name: 'SANDBOX_RELAXED', value: '0', source: 'default' },
      ]),
    );
    expect(JSON.stringify([rows, loaded]) + inspect(loaded, { depth: 9, showHidden: true })).not.toContain('hunter2');
  });

  it('names the embedded sandbox where there is no v1', () => {
    expect(describeConfig(load({}))).toContainEqual({ name: 'UPSTREAM_URL', value: 'the embedded sandbox', source: undefined });
  });

  // The defaults are those of the README's table: test/house/docs.test.ts.
  it('has a sentence for every setting', () => {
    for (const key of CONFIG_KEYS) expect(key.sentence).toMatch(/^[A-Z`].*\.$/);
  });
});
