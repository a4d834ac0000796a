/** The command as an operator types it: in a real terminal (made by `script` of util-linux) and from a pipe. */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../src/domain/credentials';
import { createKeyring, showRequestId } from '../../src/gateway/read/keyring';
import { builtProgram } from '../docs/place-program';
import { MAPPINGS } from '../mapping/mapping-set';
import { newFolder } from '../new-folder';
import { runCommand } from './run-command';

const SECRET = 'c0ffee'.repeat(6);
const KEY = 'acme_live_that_nobody_shall_see';
const keyring = createKeyring(new Secret(SECRET));
const FINGERPRINT = keyring.fingerprint(new Secret(KEY));
const hasTerminal = spawnSync('script', ['--version'], { stdio: 'ignore' }).status === 0;

const dataDir = newFolder();
const WITH_SECRET = { GATEWAY_SECRET: SECRET };

const pipe = (input: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = WITH_SECRET) =>
  runCommand(['fingerprint', ...args], { cwd: dataDir, env, input });

test.each([
  ['a key', `${KEY}\n`],
  ['a key without a line end', KEY],
  ['a key with its PIN', `${KEY}:1234\n`],
  ['a key with blanks around it and more lines', `  ${KEY} \r\nsomething else\n`],
  ['an AccessToken', `${keyring.sealToken({ apiKey: new Secret(KEY), pin: new Secret('1234'), format: 'a' })}\n`],
  [
    'an AccessToken that is too old to sell',
    createKeyring(new Secret(SECRET), { days: 30, now: () => 0 }).sealToken({ apiKey: new Secret(KEY), format: 'a' }),
  ],
])('%s from a pipe prints only the fingerprint', async (_what, input) => {
  expect(await pipe(input)).toEqual({ code: 0, stdout: `${FINGERPRINT}\n`, stderr: '' });
});

test('a request id is printed as the log shows it', async () => {
  expect(await pipe('SHOP-17\n', ['--request-id'])).toEqual({ code: 0, stdout: 'SHOP-17\n', stderr: '' });
  const shown = `${showRequestId('T-08031234567', keyring)}\n`;
  expect(await pipe('T-08031234567\n', ['--request-id'])).toEqual({ code: 0, stdout: shown, stderr: '' });
});

test("without the gateway's secret nothing but the missing setting is printed, and no secret is made", async () => {
  for (const more of [[], ['--request-id']]) {
    expect(await pipe(`${KEY}\n`, more, {})).toEqual({
      code: 1,
      stdout: '',
      stderr: `The gateway's secret is missing: GATEWAY_SECRET is not set, and ${join(dataDir, 'data', 'gateway.secret')} is not there. Set DATA_DIR or GATEWAY_SECRET as for the gateway, which makes the file at its first start.\n`,
    });
    expect(readdirSync(dataDir)).toEqual([]);
  }
});

test.each([
  ['two words', `my key ${KEY}`],
  ['a header', `Authorization: Token ${KEY}:1234`],
  ['a phone number', '08031234567'],
  ['a PIN', '1234'],
  ['a file', '/run/secrets/key.txt'],
  ['JSON', `{"key":"${KEY}"}`],
  ['a key in quotes', `"${KEY}"`],
  ['a fingerprint', 'f'.repeat(32)],
  ['a key with a PIN that is none', `${KEY}:12`],
  ['a key with a mark that cannot be seen', `${KEY}\u200b`],
  ['a key with a control character', `${KEY}\u0007x`],
  ['a mile of text', KEY + 'x'.repeat(300)],
  ['the prefix alone', 'acme_live_'],
])('%s cannot be a key: refused in one sentence that does not repeat it', async (_what, input) => {
  const { code, stdout, stderr } = await pipe(`${input}\n`);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^This is not an API key: .*`_live_` or begins with `sandbox_`.*\n$/);
  expect(stderr).not.toContain(input);
});

test('an empty request id is refused with a sentence', async () => {
  expect(await pipe('\n', ['--request-id'])).toEqual({ code: 1, stdout: '', stderr: 'No request id was given.\n' });
});

test.each([
  ['nothing', '', 'No key was given.\n'],
  ['an empty line', '\n', 'No key was given.\n'],
  [
    'an AccessToken of another gateway',
    `cga2.a.${'0'.repeat(80)}\n`,
    'This is an AccessToken that this gateway has not issued.\n',
  ],
])('%s ends with one sentence', async (_what, input, sentence) => {
  expect(await pipe(input)).toEqual({ code: 1, stdout: '', stderr: sentence });
});

test.each([[KEY], ['--key', KEY]])('a key as an argument is wrong usage and is not repeated', async (...args) => {
  const { code, stdout, stderr } = await pipe('', args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).not.toContain(KEY);
});

/** Types once the prompt appears; gives everything that the terminal showed. */
function type(keys: string, line = 'fingerprint'): Promise<{ readonly shown: string; readonly status: number | null }> {
  const quoted = [process.execPath, builtProgram(), ...line.split(' ')].map((word) => `'${word}'`).join(' ');
  const env = { PATH: process.env.PATH, MAPPINGS_DIR: MAPPINGS, ...WITH_SECRET, SHELL: '/bin/sh' };
  const terminal = spawn('script', ['-qefc', quoted, '/dev/null'], { cwd: dataDir, env });
  let shown = '';
  let hasTyped = false;
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (hasTyped || !shown.includes('API key: ')) return;
    hasTyped = true;
    terminal.stdin.write(keys);
  });
  return new Promise((done) => terminal.on('close', (status) => done({ shown: shown.replaceAll('\r\n', '\n'), status })));
}

(hasTerminal ? describe : describe.skip)('at a terminal', () => {
  test.each([
    ['typed', `${KEY}\r`],
    ['typed with its PIN', `${KEY}:1234\r`],
    ['typed wrongly and mended', `${KEY}xy\x7f\x7f\r`],
    ['typed with arrow keys between', `\x1b[A${KEY}\x1b[D\r`],
    ['ended by Ctrl-D', `${KEY}\x04`],
  ])('a key is %s without being shown', async (_how, keys) => {
    expect(await type(keys)).toEqual({ shown: `API key: \n${FINGERPRINT}\n`, status: 0 });
  });

  test.each(['fingerprint', 'doctor --key', 'orders recheck r1'])('Ctrl-C ends `%s` without a message', async (line) => {
    expect(await type(`${KEY}\x03`, line)).toEqual({ shown: 'API key: \n', status: 130 });
  });

  test('an empty line is not accepted as a key', async () => {
    expect(await type('\r')).toEqual({ shown: 'API key: \nNo key was given.\n', status: 1 });
  });
});
