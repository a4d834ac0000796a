import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfigFile } from '../../src/start/config-file';
import { newFolder } from '../new-folder';

const folder = newFolder();

function read(yaml: string) {
  writeFileSync(join(folder, 'compat-gateway.yaml'), yaml);
  const { texts, problems } = readConfigFile(undefined, folder, ['PORT', 'HOST']);
  return { texts: Object.fromEntries(texts), problems };
}

describe('a configuration file', () => {
  it('gives its values as texts, exactly as written', () => {
    expect(read('PORT: 08080\nHOST: "no"\n')).toEqual({ texts: { PORT: '08080', HOST: 'no' }, problems: [] });
    expect(read('PORT: ~\nHOST:\n').texts).toEqual({ PORT: '~', HOST: '' });
    expect(read('HOST: [a, b]\n').texts).toEqual({ HOST: 'a,b' });
  });

  it('may be absent, unless CONFIG_FILE names it', () => {
    expect(readConfigFile(undefined, join(folder, 'nowhere'), [])).toEqual({ texts: new Map(), problems: [] });
    expect(readConfigFile('x.yaml', folder, []).problems).toEqual(['CONFIG_FILE names `x.yaml`, which does not exist.']);
  });

  it('reports each unknown setting with its place and a hint, and keeps the known ones', () => {
    expect(read('PROT: 1\nHOST: h\nXYZZY: 2\n')).toEqual({
      texts: { HOST: 'h' },
      problems: [
        'compat-gateway.yaml:1:1: `PROT` is not a setting; did you mean `PORT`?',
        'compat-gateway.yaml:3:1: `XYZZY` is not a setting.',
      ],
    });
  });

  it.each([
    'HOST: &s3cr3t\n',
    'HOST: !s3cr3t\n',
    'HOST: !!s3cr3t x\n',
    'HOST: [a, &s3cr3t ]\n',
    'HOST: !s3cr3t [a]\n',
    'HOST: *s3cr3t\n',
    'HOST: |s3cr3t\n',
    'HOST: >s3cr3t\n',
    'HOST: @s3cr3t\n',
    'HOST: {s3cr3t\n',
    'HOST: "x"\ns3cr3t\n',
    'HOST: [a]s3cr3t\n',
    'HOST: "\\us3cr3t99"\n',
    'HOST=s3cr3t: 1\n',
    'HOST:s3cr3t: 1\n',
  ])('with a secret that YAML takes for something else (%j) gives a problem that does not show it', (yaml) => {
    const { texts, problems } = read(yaml);
    expect(texts).toEqual({});
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join()).not.toContain('s3cr3t');
    for (const problem of problems)
      expect(problem).toMatch(
        /^compat-gateway\.yaml:\d+:\d+: .+(?:Put the value in quotes\.|is not a setting.*|must be one .*)$/,
      );
  });

  it.each(['PORT: 1\nPORT: 2\n', 'a: b: c\n', '{', 'text', '- 1', '? [a]\n: b\n', 'PORT: {a: 1}\n', 'PORT: &a [*a]\n'])(
    'with the content %j gives problems in sentences, never an exception',
    (yaml) => {
      const { problems } = read(yaml);
      expect(problems.length).toBeGreaterThan(0);
      for (const problem of problems) expect(problem).toMatch(/^compat-gateway\.yaml:\d+:\d+: .+[.?]$/);
    },
  );
});
