/** Breaks mapping files as people and editors do: one accident per call, chosen by a seed. The same seed gives the same accident. */
import { parseDocument } from 'yaml';
import { Chance } from '../chance';
import type { MappingFileText } from '../../src/mapping/load';

export interface BrokenFiles {
  readonly files: readonly MappingFileText[];
  /** The file that was changed. */
  readonly broken: string;
  /** The accident, for the title of a failing test. */
  readonly accident: string;
}

/** The fields of a YAML text as an editor reads it; undefined for a text that is no YAML, no fields, or contains itself. */
export function fieldsOf(text: string): object | undefined {
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return undefined;
  try {
    const value = (document.toJS({ maxAliasCount: 100 }) ?? {}) as unknown;
    JSON.stringify(value);
    return typeof value === 'object' && !Array.isArray(value) ? (value as object) : undefined;
  } catch {
    return undefined;
  }
}

type Random = () => number;
type Accident = (lines: readonly string[], random: Random) => readonly string[];

const indexIn = (lines: readonly string[], random: Random): number => Math.floor(random() * lines.length);

/** Changes the first line that fits, from a random place on. */
function changeLine(lines: readonly string[], random: Random, fits: RegExp, change: (line: string) => string): readonly string[] {
  const start = indexIn(lines, random);
  const places = lines.map((_, offset) => (start + offset) % lines.length);
  const place = places.find((index) => fits.test(lines[index]!));
  return place === undefined ? lines : lines.with(place, change(lines[place]!));
}

const VALUES = [
  ...['1', '-0.5', '1e400', '0x7f', 'true', 'null', '[]', '{}', '""', '🙂'],
  ...['$order.foo', '$row', '*x', '&y z', '!!binary x'],
];

const ACCIDENTS: Readonly<Record<string, Accident>> = {
  'a line is deleted': (lines, random) => lines.toSpliced(indexIn(lines, random), 1),
  'a line stands twice': (lines, random) => {
    const index = indexIn(lines, random);
    return lines.toSpliced(index, 0, lines[index]!);
  },
  'two lines are swapped': (lines, random) => {
    const [one, other] = [indexIn(lines, random), indexIn(lines, random)];
    return lines.with(one, lines[other]!).with(other, lines[one]!);
  },
  'a key is renamed': (lines, random) =>
    changeLine(lines, random, /^\s*[\w-]+:/, (line) =>
      line.replace(/^(\s*)([\w-]+):/, (_all, space: string, key: string) => `${space}${key.slice(1)}x:`),
    ),
  'letters of a key are swapped': (lines, random) =>
    changeLine(lines, random, /^\s*\w{3,}:/, (line) => line.replace(/(\w)(\w)(\w*:)/, '$2$1$3')),
  'a value is of another kind': (lines, random) =>
    changeLine(lines, random, /: \S/, (line) => line.replace(/: .*/, `: ${VALUES[Math.floor(random() * VALUES.length)]!}`)),
  'the file is cut off': (lines, random) => {
    const kept = lines.slice(0, indexIn(lines, random) + 1);
    const last = kept.at(-1) ?? '';
    return [...kept.slice(0, -1), last.slice(0, Math.floor(random() * last.length))];
  },
  'a line is indented otherwise': (lines, random) =>
    changeLine(lines, random, /^ +\S/, (line) => (random() < 0.5 ? ` ${line}` : line.slice(1))),
  'a tab is in the way': (lines, random) => changeLine(lines, random, /^ +\S/, (line) => line.replace(/^ {2}/, '\t')),
  'a bracket or quote is lost': (lines, random) =>
    changeLine(lines, random, /[[\]{}'"]/, (line) => line.replace(/[[\]{}'"]/, '')),
  'a number is another': (lines, random) =>
    changeLine(lines, random, /\d/, (line) => line.replace(/\d+/, String(Math.floor(random() * 9)))),
  'a path leads elsewhere': (lines, random) => changeLine(lines, random, /\$\w/, (line) => line.replace(/\$(\w+)/, '$v1.$1')),
  'a byte that is no text is inserted': (lines, random) =>
    changeLine(
      lines,
      random,
      /\S/,
      (line) => line.slice(0, 4) + ['\u0000', '\uFFFD', '\uFEFF', '\u2028', '\uD800'][Math.floor(random() * 5)]! + line.slice(4),
    ),
};

/** Accidents that affect the whole file. */
const WHOLE_FILE_ACCIDENTS: Readonly<Record<string, Accident>> = {
  'a key stands twice': (lines, random) => {
    const start = indexIn(lines, random);
    const index = lines.findIndex((line, at) => at >= start && /^\s*[\w-]+:/.test(line));
    return index < 0 ? lines : lines.toSpliced(index, 0, `${/^\s*[\w-]+:/.exec(lines[index]!)![0]} again`);
  },
  'an alias bomb is inserted': (lines) => [
    'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
    ...Array.from({ length: 9 }, (_, depth) => `a${depth + 1}: &a${depth + 1} [${`*a${depth}, `.repeat(9)}*a${depth}]`),
    ...lines,
  ],
  'an alias leads to itself': (lines) => [...lines, 'texts: &self', '  found: *self'],
  'an alias names nothing': (lines, random) =>
    changeLine(lines, random, /: \S/, (line) => line.replace(/: .*/, ': *nothing_of_this_name')),
  'lists are nested a thousand deep': (lines, random) =>
    changeLine(lines, random, /: \S/, (line) => line.replace(/: .*/, `: ${'['.repeat(1_000)}${']'.repeat(1_000)}`)),
  'lists are nested and never end': (lines, random) =>
    changeLine(lines, random, /: \S/, (line) => line.replace(/: .*/, `: ${'[{a: '.repeat(500)}`)),
  'the file is enormous': (lines) => [
    ...lines,
    ...Array.from({ length: 30_000 }, (_, index) => `# ${index} ${'filler '.repeat(6)}`),
  ],
  'one line is enormous': (lines, random) =>
    changeLine(lines, random, /: \S/, (line) => line.replace(/: .*/, `: "${'x'.repeat(300_000)}"`)),
  'the file is empty': () => [''],
  'the file is all comments': (lines) => lines.map((line) => `# ${line}`),
  'the file is a list': () => ['- one', '- two'],
  'the file is one word': () => ['nonsense'],
  'the file is another language': () => ['<?php', "$config['api_url'] = 'https://x';", '?>'],
  'the file holds two documents': (lines) => [...lines, '---', ...lines],
  'a merge left its marks': (lines, random) =>
    lines.toSpliced(indexIn(lines, random), 0, '<<<<<<< HEAD', 'texts:', '=======', 'words:', '>>>>>>> other'),
  'lines end as on Windows, and one is lost': (lines, random) =>
    lines.toSpliced(indexIn(lines, random), 1).map((line) => `${line}\r`),
  'a byte-order mark stands in front, and a key is wrong': (lines) => ['\uFEFFnot_a_section: 1', ...lines],
  'an editor left a mark of its own': (lines, random) => lines.toSpliced(indexIn(lines, random), 0, ':wq'),
};

const ALL_ACCIDENTS = { ...ACCIDENTS, ...WHOLE_FILE_ACCIDENTS };

export function breakFiles(files: readonly MappingFileText[], seed: number): BrokenFiles {
  const chance = new Chance(String(seed));
  const index = chance.below(files.length);
  const accident = chance.pick(Object.keys(ALL_ACCIDENTS));
  const hit = files[index]!;
  const text = ALL_ACCIDENTS[accident as keyof typeof ALL_ACCIDENTS]!(hit.text.split('\n'), () => chance.next()).join('\n');
  return { files: files.with(index, { ...hit, text }), broken: hit.file, accident };
}
