// Proves that the harness notices mistakes: every kind of block is wrong once.
import { spawnSync } from 'node:child_process';
import { placeProgram } from './place-program';
import { checkYaml } from './check-yaml';
import { openDesk } from './open-desk';
import { compareJson, compareText, playPage } from './play-page';
import { parsePage } from './read-page';
import { newFolder } from '../new-folder';
import { opened } from '../opened';

const hasBash = ['bash', 'curl'].every((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
const fenced = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`;
const yaml = (text: string, info = 'yaml', before?: string): Promise<string | undefined> => {
  const blocks = parsePage(`${before === undefined ? '' : fenced('yaml', before)}\n${fenced(info, text)}`, 'page.md');
  return checkYaml(blocks.at(-1)!, blocks.at(-2));
};

test('a page gives its blocks with place, language, marks and the output that follows', () => {
  const page = `# Page\n\n${fenced('sh exit=1 no-run=docker', 'false')}\n${fenced('text', 'no')}\nWords.\n\n${fenced('json', '{}')}`;
  expect(parsePage(page, 'page.md')).toEqual([
    {
      place: 'page.md:3',
      language: 'sh',
      marks: new Map([
        ['exit', '1'],
        ['no-run', 'docker'],
      ]),
      text: 'false',
      output: { language: 'text', text: 'no' },
    },
    { place: 'page.md:13', language: 'json', marks: new Map(), text: '{}', output: undefined },
  ]);
  expect(() => parsePage('```sh\ntrue', 'page.md')).toThrow('page.md:1');
});

test('output is compared line by line in order, with … for any text', () => {
  const printed = 'one 1\n  two 2 (3 ms)\nthree';
  expect(compareText('one …\n…\n  two 2 (… ms)', printed)).toBeUndefined();
  expect(compareText('three\none …', printed)).toContain('one');
  expect(compareText('one', printed)).toContain('one');
});

test('of a reply the fields that are shown are compared, and those that vary by type', () => {
  const told = { status: 'success', id: 12, newbal: 4.5, error: ['no'], 'request-id': 'CG01M7Y7E5SKCGFC6HPZC6DCQPG3' };
  const same = { status: 'success', id: 13, newbal: 9, error: ['no'], 'request-id': 'CG00000000000000000000000000' };
  expect(compareJson(same, told)).toBeUndefined();
  for (const wrong of [{ status: 'fail' }, { id: 'x' }, { error: ['yes'] }, { token: null }, { error: 'no' }])
    expect(compareJson(wrong, told)).toEqual(expect.any(String));
});

describe('YAML', () => {
  const fragment = 'operations: { buy_airtime: { fields: { amount: { from: [amount, naira] } } } }';
  test('a fragment is checked with all the rest of the shipped set', async () => {
    expect(await yaml(fragment)).toBeUndefined();
    expect(await yaml(fragment.replace('from', 'form'))).toContain('unknown-key');
    expect(await yaml('format: b\nnumbers: { network: { 1: MTN, 2: GLOW } }')).toContain('unknown-value');
    expect(await yaml('format: d\ntitle: D\nnumbers: { network: { 1: MTN, 2: GLO, 3: AIRTEL, 4: 9MOBILE } }')).toContain(
      'format-',
    );
  });
  test('a fragment that is shown as a mistake must break its rule', async () => {
    expect(await yaml(fragment.replace('from', 'form'), 'yaml breaks=unknown-key')).toBeUndefined();
    expect(await yaml(fragment, 'yaml breaks=unknown-key')).toContain('does not break');
  });
  test('cases are played, with the fragment before them', async () => {
    const one = 'send: { POST /api/topup/: { network: MTN, phone: "08031234567", naira: 100 } }\nexpect_reply: { amount: 100 }';
    expect(await yaml(one, 'yaml', fragment)).toBeUndefined();
    expect(await yaml(one)).toContain('amount');
    expect(await yaml('expect_reply: { amount: 100, status: success }')).toBeUndefined();
    expect(await yaml('expect_reply: { amount: 101 }')).toContain('101');
    expect(await yaml('- name: a case\n  send: GET /api/user/\n  http: 404')).toContain('404');
  });
  test('an excerpt is found in its file, in its order', async () => {
    const file = 'yaml excerpt=mappings/networks.yaml';
    expect(await yaml('tables:\n  network:\n    # …\n      GLO:\n        label: Glo', file)).toBeUndefined();
    expect(await yaml('      GLO:\n      MTN:', file)).toContain('MTN');
    expect(await yaml('        label: Glow', file)).toContain('Glow');
  });
});

(hasBash ? describe : describe.skip)('commands', () => {
  const program = newFolder();
  beforeAll(() => placeProgram(program));
  const desk = opened(() => openDesk(program));
  const play = (page: string): Promise<string | undefined> => playPage(parsePage(page, 'page.md'), desk);
  const reload = fenced('yaml append=mine/format-b.yaml', '# a remark');

  test.each([
    ['a command that fails', fenced('sh', 'false\necho on'), 'ends with 1'],
    ['a command that should fail', fenced('sh exit=1', 'true'), 'ends with 0'],
    ['other output', `${fenced('sh', 'echo one')}\n${fenced('text', 'two')}`, 'no line like'],
    ['another reply', `${fenced('sh', 'echo {}')}\n${fenced('json', '{ "a": 1 }')}`, 'no field a'],
    [
      'a file that is not what was shown',
      `${fenced('yaml file=a/b.yaml', 'a: 1')}\n${fenced('sh', 'grep "a: 2" a/b.yaml')}`,
      'page.md:5',
    ],
    ['a gateway that does not start', fenced('sh serve', 'MAPPINGS_DIR=nowhere compat-gateway serve'), 'nowhere'],
  ])('%s is reported with its place', async (_what, page, words) => {
    const wrong = await play(page).catch((error: Error) => error.message);
    expect(wrong).toContain(words);
  });

  test('exports last, the gateway serves what was written, and its ports are those of the page', async () => {
    const page = [
      fenced('sh', 'cp -R mappings mine\nexport MAPPINGS_DIR=mine'),
      fenced('sh serve', 'MAPPINGS_DIR=mine compat-gateway serve'),
      reload,
      `${fenced('sh', 'compat-gateway reload')}\n${fenced('text', 'In use now: ….')}`,
      `${fenced('sh', 'curl -s http://127.0.0.1:8080/api/nothing')}\n${fenced('json', '{ "status": "fail" }')}`,
      fenced('sh exit=7', 'curl -s http://127.0.0.1:8080/ --connect-to 127.0.0.1:8080:127.0.0.1:1'),
      `${fenced('sh', 'compat-gateway check')}\n${fenced('text', '3 formats, …: no problems (hash …).')}`,
    ];
    expect(await play(page.join('\n'))).toBeUndefined();
  });

  test('an amount with the digits of a gateway port is not changed', async () => {
    const page = `${fenced('sh', 'echo "{\\"amount\\":$PORT}"')}\n${fenced('json', '{ "amount": 8080 }')}`;
    expect(await play(page)).toContain('amount is ');
  });
});
