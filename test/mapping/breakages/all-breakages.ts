/** Every breakage: those that are made of what there is, and those that a hand wrote down. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Breakage } from './breakage';
import { generatedBreakages } from './generated';

/**
 * `by-hand.txt` has one breakage a line: the file, what stood there, and what stands there now. The line above them names their kind and,
 * in brackets, the set (`own`; as shipped unless said), who notices (`plan`; `check` unless said) and whether it costs no money.
 */
export function allBreakages(): Breakage[] {
  let kind = '';
  let flags: readonly string[] = [];
  const written = readFileSync(join(__dirname, 'by-hand.txt'), 'utf8')
    .split('\n')
    .flatMap((line): Breakage[] => {
      const heading = /^# (.*?)(?: \(([^)]*)\))?$/.exec(line);
      if (heading !== null) [kind, flags] = [heading[1]!, heading[2]?.split(', ') ?? []];
      const [, file, find, put] = /^([\w/.-]+): (.*) => (.*)$/.exec(line)?.map(unescaped) ?? [];
      if (heading !== null || file === undefined) return [];
      return [
        {
          set: flags.includes('own') ? 'own' : 'shipped',
          kind,
          words: `${file}: ${find!} -> ${put!}`,
          isMoney: !flags.includes('no money'),
          caught: flags.includes('plan') ? 'plan' : 'check',
          edit: { file, find: find!, put: put! },
        },
      ];
    });
  return [...generatedBreakages(), ...written];
}

/** A line cannot hold its own end, and nobody sees a blank there or a letter that looks like another. */
const unescaped = (text: string): string =>
  text
    .replaceAll('\\n', '\n')
    .replace(/\\u([0-9A-F]{4})/g, (_whole, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
