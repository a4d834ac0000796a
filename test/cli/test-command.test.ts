import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runHere } from './run-here';
import { newFolder } from '../new-folder';
import { copyMappings, MAPPINGS } from '../mapping/mapping-set';

const run = (...args: readonly string[]): ReturnType<typeof runHere> => runHere('test', ...args);

const folder = newFolder();

beforeAll(() => {
  copyMappings(folder);
  rmSync(join(folder, 'cases'), { recursive: true });
});

/** The shipped mappings with these cases. */
function withCases(text: string): string {
  const own = newFolder();
  cpSync(folder, own, { recursive: true });
  cpSync(join(MAPPINGS, 'cases', 'v1.yaml'), join(own, 'cases', 'v1.yaml'), { recursive: true });
  writeFileSync(join(own, 'cases', 'own.yaml'), text);
  return own;
}

const GOOD = `cases:
  - name: airtime is sold at $value
    each: [/api/topup, /api/airtime]
    send: { POST $value: { network: MTN, phone: '08031234567', amount: 100 } }
    expect_call: { POST /airtime: { network: MTN, phone: '08031234567', amount: 100, ported: false } }
`;
const BAD = `${GOOD}
  - name: a case that is not so
    send: GET /api/user/
    expect_reply: { status: fail, balance: 1, currency: NGN }
`;

test('passing cases take a row each, and the exit code is 0', async () => {
  const { code, stdout } = await run(withCases(GOOD));
  expect(stdout).toMatch(/^ok {4}airtime is sold at \$value {2}\(2 rows\)\n1 case, 2 rows: all as expected \(\d+ ms\)\.\n$/);
  expect(code).toBe(0);
});

test('a failing case prints only its differences, with its place, and the exit code is 1', async () => {
  const own = withCases(BAD);
  const junit = join(own, 'cases.xml');
  const { code, stdout } = await run(own, '--quiet', '--junit', junit);
  expect(stdout.split('\n').slice(0, 4)).toEqual([
    'FAIL  a case that is not so',
    expect.stringMatching(/own\.yaml:7:5$/),
    '      reply.status: expected "fail", found "success"',
    '      reply.balance: expected 1, found 98250.5',
  ]);
  expect(stdout).toContain('2 cases, 3 rows: 1 not as expected');
  expect(code).toBe(1);
  const xml = readFileSync(junit, 'utf8');
  expect(xml).toContain('tests="3" failures="1"');
  expect(xml).toContain('<failure message="reply.status">reply.status: expected &quot;fail&quot;');
});

test('the coverage names what no case shows, and a low coverage is exit code 1', async () => {
  const own = withCases(GOOD);
  const { code, stdout } = await run(own, '--coverage', '--fail-under', '90');
  expect(stdout).toMatch(/operations\/data\.yaml:\d+:\d+ {2}route {2}POST \/api\/data: no case shows it\n/);
  expect(stdout).toMatch(/route +2 of +\d+ +\d+\.\d %\n/);
  expect(stdout).toContain('The coverage is below 90 %.');
  expect(code).toBe(1);
  expect((await run(own, '--coverage', '--quiet')).code).toBe(0);
});

test('the filter selects cases by name', async () => {
  const own = withCases(BAD);
  expect((await run(own, '--filter', 'airtime')).code).toBe(0);
  const { code, stdout } = await run(own, '--filter', 'nothing like it');
  expect(stdout).toBe('No case has "nothing like it" in its name.\n');
  expect(code).toBe(1);
});

test('problems in case files are printed like those of check', async () => {
  const { code, stdout } = await run(withCases('cases:\n  - name: a case\n    sent: GET /api/user/\n'));
  expect(stdout).toMatch(/own\.yaml:3:5 {2}unknown-key {2}unknown key `sent`/);
  expect(stdout).toContain('did you mean `send`?');
  expect(code).toBe(1);
});
