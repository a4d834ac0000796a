/** Every breakage: those that are made of what there is, and those that a hand wrote down. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Breakage, SetName, TextEdit } from './breakage';
import { generatedBreakages } from './generated';

interface ByHand {
  readonly kind: string;
  readonly breakages: readonly (TextEdit & {
    readonly set?: SetName;
    readonly money?: boolean;
    readonly caught?: Breakage['caught'];
  })[];
}

export function allBreakages(): Breakage[] {
  const byHand = parse(readFileSync(join(__dirname, 'by-hand.yaml'), 'utf8')) as readonly ByHand[];
  const written = byHand.flatMap(({ kind, breakages }) =>
    breakages.map(({ set = 'shipped', money = true, caught = 'check', ...edit }): Breakage => ({
      set,
      kind,
      words: `${edit.file}: ${edit.find} -> ${edit.put}`,
      isMoney: money,
      caught,
      edit,
    })),
  );
  return [...generatedBreakages(), ...written];
}
