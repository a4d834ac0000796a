/**
 * Every setting, in one schema: its environment variable, its default, and a sentence. The same names may stand in
 * `compat-gateway.yaml`; the environment wins. The only file that reads the environment.
 */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import * as z from 'zod';
import { CONFIG_FILE_NAME, readConfigFile } from './start/config-file';
import {
  choice,
  flag,
  folder,
  host,
  parseHeaderNames,
  parseNetworks,
  parsePath,
  parseTimeZone,
  parseUpstreamUrl,
  parseWhole,
  port,
  PROXY_BITS_MIN,
  SANDBOX,
  secret,
  setting,
  TIME_ZONE,
  isDatabaseUrl,
  doHostsConflict,
  isLoopback,
  leadsBack,
  liesIn,
  showRefused,
  withoutCredentials,
} from './start/config-values';
import { Secret } from './domain/credentials';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process's own environment, for `loadConfig`. */
export function processEnv(): Environment {
  return process.env;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const LOG_FORMATS = ['auto', 'json', 'pretty'] as const;
const ALARM_FORMATS = ['auto', 'json', 'slack'] as const;
const NODE_ENVS = ['development', 'test', 'production'] as const;
const WORKERS_MAX = 256;
/** The key of the sandbox's demo account. */
const SANDBOX_DEMO_KEY = 'sandbox_demo';

/** `prefault` is the default as an operator would write it; a setting without one is optional. */
const configSchema = z.strictObject({
  host: host('Address of the public server: compat routes and v1 pass-through.').prefault('0.0.0.0'),
  port: port('Port of the public server.').prefault('8080'),
  adminHost: host('Address of the admin server: probes, metrics, admin calls. Beyond loopback it needs ADMIN_TOKEN.').prefault(
    '127.0.0.1',
  ),
  adminPort: port('Port of the admin server.').prefault('9090'),
  adminToken: secret('The token of admin calls, sent as `Authorization: Bearer …`. Probes and metrics need no token.').optional(),
  upstreamUrl: setting(
    'The base address of v1. Unset: the embedded sandbox, which production must choose by the word `sandbox`.',
    'an http or https address without credentials, query or fragment, or the word `sandbox`',
    parseUpstreamUrl,
  ).optional(),
  upstreamConnections: setting(
    'Most connections to v1 for orders and lookups, so most calls at a time. Fewer are used while v1 is overloaded, or where the limit of open files is low.',
    'a whole number from 1 to 65536',
    (text) => parseWhole(text, 1, 65_536),
  ).prefault('4096'),
  upstreamProbeSeconds: setting(
    'After this long without an answer from v1, the gateway sends it a `GET /balance` without a key and expects HTTP 401. 0: never.',
    'a whole number of seconds from 0 to 3600',
    (text) => parseWhole(text, 0, 3_600),
  ).prefault('30'),
  v1Path: setting(
    'Where v1 is passed through on the public server.',
    'a path such as `/api/v1`, without a slash at its end',
    parsePath,
  ).prefault('/api/v1'),
  sandboxHost: host("Address of the sandbox's own v1 server.").prefault('127.0.0.1'),
  sandboxPort: port("Port of the sandbox's own v1 server.").prefault('8081'),
  sandboxRelaxed: flag("Lifts the sandbox's rate limits and duplicate window, for load tests.").prefault('0'),
  sandboxSeed: setting("Makes the sandbox's references, tokens and PINs the same in every run.", 'a word', (text) =>
    /^[\w.-]{1,64}$/.test(text) ? text : undefined,
  ).optional(),
  journalUrl: setting(
    'Where orders are kept: `lmdb:` (in the data folder), `lmdb:/path`, `postgres://user:password@host/database` for gateways on several machines, or `memory:`, for tests only.',
    '`lmdb:`, `lmdb:/path`, an address such as `postgres://user:password@host/database`, or `memory:`',
    (text) => (/^(?:lmdb|memory|postgres(?:ql)?):/i.test(text) ? text : undefined),
  ).prefault('lmdb:'),
  journalKey: setting(
    "Encrypts the fields of orders (numbers, names, addresses, SMS texts) and v1's messages in the journal. From the first order written with it, the journal opens only with this key.",
    'at least 32 characters of hex or base64',
    (text) => (/^[A-Za-z0-9+/=_-]{32,}$/.test(text) ? new Secret(text) : undefined),
  ).optional(),
  journalDays: setting('How many days a finished order is kept.', 'a whole number of days from 1 to 3650', (text) =>
    parseWhole(text, 1, 3_650),
  ).prefault('90'),
  ordersMax: setting(
    'Most orders under way in a process. Beyond it purchases are refused; from half of it on, a key may only have its share.',
    'a whole number from 100 to 1000000',
    (text) => parseWhole(text, 100, 1_000_000),
  ).prefault('20000'),
  timeZone: setting(
    'The zone in which times are shown, and whose midnight begins the day of a daily limit.',
    'the name of a time zone such as `Africa/Lagos` or `UTC`',
    parseTimeZone,
  ).prefault(TIME_ZONE),
  dataDir: folder('What must survive a restart: journal, sandbox, last good mappings, the gateway secret.').prefault('./data'),
  mappingsDir: folder('The YAML files of the formats.').prefault('./mappings'),
  mappingsWatch: flag('Reloads the mappings when one of their files, or the folder itself, changes.').prefault('0'),
  trafficShapes: flag(
    'Records the shapes of requests (names and kinds of fields, never values), for `compat-gateway drift` and `plan`.',
  ).prefault('1'),
  drainSeconds: setting(
    'How long the public server goes on selling after SIGTERM, while load balancers notice that `/readyz` is 503.',
    'a whole number of seconds from 0 to 300',
    (text) => parseWhole(text, 0, 300),
  ).prefault('5'),
  workers: setting(
    'How many processes serve as one, behind the same ports and with one journal; `auto` is one for each core.',
    `a whole number from 1 to ${WORKERS_MAX} or \`auto\``,
    (text) => (text === 'auto' ? availableParallelism() : parseWhole(text, 1, WORKERS_MAX)),
  ).prefault('1'),
  trustedProxies: setting(
    'Addresses or networks of proxies, separated by commas. The client address that they forward is trusted.',
    `addresses or networks such as \`10.0.0.0/8, ::1\`, none wider than /${PROXY_BITS_MIN}`,
    parseNetworks,
  ).optional(),
  passthroughHeaders: setting(
    'Request headers that the pass-through forwards to v1 beside the usual ones, separated by commas.',
    "names of headers such as `X-Tenant, X-Api-Version`, none that tells a caller's address, another target or the framing of a body",
    parseHeaderNames,
  ).optional(),
  lookupApiKey: secret(
    'The key for verify calls without a key. Unset: the demo key with the embedded sandbox, else none.',
  ).optional(),
  logLevel: setting('The least serious log line that is written.', `one of ${LOG_LEVELS.join(', ')}`, (text) =>
    LOG_LEVELS.find((level) => level === text.toLowerCase()),
  ).prefault('info'),
  logFormat: choice(
    'How a log line is written: json, pretty for people, or auto, which is pretty where standard output is a terminal.',
    LOG_FORMATS,
  ).prefault('auto'),
  tracesUrl: setting(
    'An OpenTelemetry collector (OTLP over HTTP) that gets a trace of each request of a script, unless the request cannot be read. An address without a path gets `/v1/traces`. Unset: no traces.',
    'an http or https address without credentials, query or fragment',
    (text) => (text === SANDBOX ? undefined : parseUpstreamUrl(text)),
  ).optional(),
  alarmWebhook: setting(
    'The address of a webhook to which alarms are posted, kept secret. Unset: alarms are only in the log, in metrics and at `GET /alarms`.',
    'an http or https address',
    (text) => (/^https?:\/\//i.test(text) && URL.canParse(text) ? new Secret(text) : undefined),
  ).optional(),
  alarmFormat: choice(
    'The format of posted alarms: json, slack, or auto, which is slack for an address of slack.com.',
    ALARM_FORMATS,
  ).prefault('auto'),
  logFile: setting(
    'The file for the log, instead of standard output. SIGUSR2 reopens it after a rotation.',
    'a file',
    (text) => text,
  ).optional(),
  gatewaySecret: setting(
    'The secret behind key fingerprints and AccessTokens. It must be the same on every machine that shares a journal. Unset: a file in the data folder.',
    'at least 32 characters of hex or base64',
    (text) => (/^[A-Za-z0-9+/=_-]{32,}$/.test(text) ? new Secret(text) : undefined),
  ).optional(),
  tokenDays: setting('How many days after its login an AccessToken is valid.', 'a whole number of days from 1 to 3650', (text) =>
    parseWhole(text, 1, 3_650),
  ).prefault('30'),
  // Closed, because a misspelt `production` would sell in the sandbox and tell scripts of success.
  nodeEnv: setting(
    '`production` demands a choice of UPSTREAM_URL, and a journal on disk.',
    'development, test or production',
    (text) => NODE_ENVS.find((word) => word === text),
  ).prefault('development'),
  configFile: setting('A YAML file with these same names; the environment wins.', 'a file', (text) => text).prefault(
    CONFIG_FILE_NAME,
  ),
});

type Settings = z.infer<typeof configSchema>;

/** The settings in force. Paths are absolute. */
export interface Config extends Omit<Settings, 'upstreamUrl' | 'trustedProxies'> {
  /** Without a slash at its end; undefined means the embedded sandbox. */
  readonly upstreamUrl?: string | undefined;
  readonly trustedProxies: readonly string[];
}

type ConfigSource = 'environment' | 'file' | 'default';

export type LoadedConfig =
  | { readonly config: Config; readonly sources: Readonly<Record<string, ConfigSource>> }
  /** One sentence for each problem; it names the variable and the expected value, and shows no secret. */
  | { readonly problems: readonly string[] };

interface ConfigKey {
  /** The environment variable. */
  readonly name: string;
  /** The default as an operator would write it; undefined when there is none. */
  readonly fallback: string | undefined;
  readonly sentence: string;
}

/** The table of settings, for `compat-gateway config`, the README and its test. */
export const CONFIG_KEYS: readonly ConfigKey[] = Object.entries(configSchema.shape).map(([key, schema]) => ({
  name: variableOf(key),
  fallback: schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) : undefined,
  sentence: String(
    (schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional ? schema.def.innerType : schema).meta()?.sentence,
  ),
}));

const KEY_OF = new Map(Object.keys(configSchema.shape).map((key) => [variableOf(key), key]));
const FILE_NAMES = [...KEY_OF.keys()].filter((name) => name !== 'CONFIG_FILE');
const SECRET_NAMES = new Set(['ADMIN_TOKEN', 'ALARM_WEBHOOK', 'LOOKUP_API_KEY', 'GATEWAY_SECRET', 'JOURNAL_URL', 'JOURNAL_KEY']);

/** The configuration in force, or all its problems, with `serves` also those of a gateway that serves. An empty variable counts as unset. */
export function loadConfig(env: Environment, cwd: string, { serves } = { serves: true }): LoadedConfig {
  const file = readConfigFile(nonEmpty(env.CONFIG_FILE), cwd, FILE_NAMES);
  const texts: Record<string, string> = {};
  const sources: Record<string, ConfigSource> = {};
  for (const [name, key] of KEY_OF) {
    const fromEnvironment = nonEmpty(env[name]);
    const text = fromEnvironment ?? nonEmpty(file.texts.get(name));
    if (text !== undefined) texts[key] = text;
    sources[name] = fromEnvironment !== undefined ? 'environment' : text !== undefined ? 'file' : 'default';
  }
  const parsed = configSchema.safeParse(texts);
  if (!parsed.success)
    return { problems: [...file.problems, ...parsed.error.issues.map((issue) => issueSentence(issue, texts, sources))] };
  const problems = [...file.problems, ...checkTogether(parsed.data, cwd), ...(serves ? checkServers(parsed.data) : [])];
  return problems.length > 0 ? { problems } : { config: settle(parsed.data, cwd), sources };
}

/** One row per setting: its value, with secrets masked, and where the value comes from. */
export function describeConfig(
  config: Config,
  sources: Readonly<Record<string, ConfigSource>> = {},
): readonly { readonly name: string; readonly value: string; readonly source: ConfigSource | undefined }[] {
  const values = new Map<string, ConfigValue>(Object.entries(config));
  return [...KEY_OF].map(([name, key]) => ({ name, value: describeValue(name, values.get(key)), source: sources[name] }));
}

function issueSentence(
  issue: z.core.$ZodIssue,
  texts: Readonly<Record<string, string>>,
  sources: Readonly<Record<string, ConfigSource>>,
): string {
  const key = String(issue.path[0]);
  const name = variableOf(key);
  const text = showRefused(name, texts[key] ?? '');
  const shown = SECRET_NAMES.has(name) ? '' : `, but is \`${text.slice(0, 100)}\``;
  return `${name}${sources[name] === 'file' ? ' in the configuration file' : ''} ${issue.message}${shown}.`;
}

/** The problems of settings that do not fit together. */
function checkTogether(settings: Settings, cwd: string): readonly string[] {
  const problems: string[] = [];
  if (settings.nodeEnv === 'production' && /^memory:/i.test(settings.journalUrl)) {
    problems.push(
      'JOURNAL_URL must not be `memory:` with NODE_ENV=production: a restart would forget every order. Leave it unset, or set `lmdb:/path`.',
    );
  }
  if (isDatabaseUrl(settings.journalUrl) && settings.gatewaySecret === undefined) {
    problems.push(
      'GATEWAY_SECRET must be set when JOURNAL_URL is PostgreSQL: with different secrets, one gateway does not find the orders of another. If there is a gateway.secret in DATA_DIR, use its content.',
    );
  }
  if (settings.workers > 1 && /^memory:/i.test(settings.journalUrl)) {
    problems.push('JOURNAL_URL must not be `memory:` with WORKERS above 1: no process would see the orders of another.');
  }
  // With a log file in the watched folder, each line of the log would cause another reload.
  const written = { DATA_DIR: settings.dataDir, LOG_FILE: settings.mappingsWatch ? settings.logFile : undefined };
  for (const [name, path] of Object.entries(written)) {
    if (path !== undefined && liesIn(resolve(cwd, path), resolve(cwd, settings.mappingsDir))) {
      problems.push(
        `${name} must not lie in MAPPINGS_DIR: the gateway would read its own files as mapping files. Choose another place for one of them.`,
      );
    }
  }
  return problems;
}

/** The problems that keep a gateway from serving with these settings. */
function checkServers(settings: Settings): readonly string[] {
  const problems: string[] = [];
  if (settings.nodeEnv === 'production' && settings.upstreamUrl === undefined) {
    problems.push(
      'UPSTREAM_URL must be set with NODE_ENV=production: to the address of v1, or to `sandbox` for the embedded sandbox.',
    );
  }
  const { upstreamUrl = SANDBOX, port: ownPort } = settings;
  if (upstreamUrl !== SANDBOX && leadsBack(upstreamUrl, settings.host, ownPort)) {
    problems.push(`UPSTREAM_URL leads back to this gateway (PORT ${ownPort}): it must be the address of v1.`);
  }
  if (!isLoopback(settings.adminHost) && settings.adminToken === undefined) {
    problems.push(`ADMIN_HOST is \`${settings.adminHost}\`, which others can reach, so ADMIN_TOKEN must be set.`);
  }
  const servers = [
    { name: 'PORT', host: settings.host, port: settings.port },
    { name: 'ADMIN_PORT', host: settings.adminHost, port: settings.adminPort },
    ...(isSandbox(settings) ? [{ name: 'SANDBOX_PORT', host: settings.sandboxHost, port: settings.sandboxPort }] : []),
  ];
  for (const [index, one] of servers.entries())
    for (const other of servers.slice(index + 1))
      if (one.port !== 0 && one.port === other.port && doHostsConflict(one.host, other.host))
        problems.push(`${one.name} and ${other.name} are both ${one.port}; each server needs a port of its own.`);
  return problems;
}

function settle(settings: Settings, cwd: string): Config {
  const lookupApiKey = settings.lookupApiKey ?? (isSandbox(settings) ? new Secret(SANDBOX_DEMO_KEY) : undefined);
  return {
    ...settings,
    upstreamUrl: isSandbox(settings) ? undefined : settings.upstreamUrl,
    trustedProxies: settings.trustedProxies ?? [],
    dataDir: resolve(cwd, settings.dataDir),
    mappingsDir: resolve(cwd, settings.mappingsDir),
    configFile: resolve(cwd, settings.configFile),
    ...(settings.logFile === undefined ? {} : { logFile: resolve(cwd, settings.logFile) }),
    ...(lookupApiKey === undefined ? {} : { lookupApiKey }),
  };
}

function isSandbox({ upstreamUrl }: Settings): boolean {
  return upstreamUrl === undefined || upstreamUrl === SANDBOX;
}

type ConfigValue = Config[keyof Config];

function describeValue(name: string, value: ConfigValue): string {
  if (value === undefined || (value instanceof Array && value.length === 0))
    return name === 'UPSTREAM_URL' ? 'the embedded sandbox' : 'none';
  if (typeof value === 'object') return value instanceof Secret ? value.toString() : value.join(', ');
  if (name === 'JOURNAL_URL') return withoutCredentials(String(value));
  return typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
}

function nonEmpty(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}

/** `adminHost` is read from `ADMIN_HOST`. */
function variableOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
