/** Families: names that are not there, proofs of two families alike, and words that scripts would take for another outcome. */
import { retoldBy, sourceOfFamily } from '../compile-family';
import type { FamilySource } from '../language/schema';
import type { ReplyOutcome } from '../mapping';
import { checkReplies } from './check-replies';
import { checkTold } from './check-told';
import { hintFor, reportUnknownKey, type Checking } from './checking';
import type { MappingSource } from '../source';
import { isWordForPending, misreadAs, WORD_RULES } from './read-as';
import { isMetAs, outcomeReplies } from './reply-layers';

export function checkFamilies(checking: Checking): void {
  const { source, mapping, report } = checking;
  for (const [id, family] of Object.entries(source.families)) {
    const path = ['families', id];
    if (!source.formats.has(family.extends)) {
      const hint = hintFor(family.extends, [...source.formats.keys()]);
      report([...path, 'extends'], 'unknown-format', `there is no format \`${family.extends}\``, hint);
      continue;
    }
    for (const name of Object.keys(family.operations ?? {}))
      reportUnknownKey(
        name,
        Object.keys(source.operations),
        ['operation', 'unknown-operation'],
        [...path, 'operations', name],
        checking,
      );
    checkWordsOf(id, family, checking);
    if (retoldBy(id, source).length === 0) continue;
    const met = reachable(id, sourceOfFamily(source, id));
    // What is held of every reply holds of a reply in the words of a family.
    const told: Checking = { source: met, mapping: mapping.families.get(id)!.mapping(), replies: outcomeReplies(met), report };
    checkReplies(told);
    checkTold(told);
  }
  checkAlike(checking);
}

/** Its format, and the operations that it tells otherwise and that scripts of the format can ask for. */
function reachable(id: string, source: MappingSource): MappingSource {
  const { extends: format } = source.families[id]!;
  const own = source.formats.get(format)!;
  const operations = retoldBy(id, source)
    .filter((name) => isMetAs(format, name, source))
    .map((name) => [name, source.operations[name]!] as const);
  return { ...source, formats: new Map([[format, own]]), operations: Object.fromEntries(operations) };
}

function checkWordsOf(id: string, { words = {}, proof = [] }: FamilySource, { report }: Checking): void {
  for (const [outcome, said = {}] of Object.entries(words) as [ReplyOutcome, FamilySource['words']][]) {
    const { http, ...told } = said as { http?: number; status?: string; Status?: string };
    for (const [key, word] of Object.entries(told)) {
      const other = word === undefined ? undefined : misreadAs(outcome, key, word);
      // A script that the operator names may take a word for pending as its only word for a sale.
      const isNamed = proof.length === 0 && outcome === 'success' && word !== undefined && isWordForPending(word);
      if (other !== undefined && !isNamed)
        report(
          ['families', id, 'words', outcome, key],
          WORD_RULES[outcome],
          `scripts read \`${word}\` as ${other}, not as ${outcome}`,
        );
    }
    const isRight = http === undefined || http === 200 || (outcome === 'failure' ? http >= 400 : http === 201);
    if (!isRight) report(['families', id, 'words', outcome, 'http'], 'outcome-http', `${http} does not fit a ${outcome}`);
  }
}

/** A request with a strong signal of two families proves neither. */
function checkAlike({ source, report }: Checking): void {
  const owners = new Map<string, string>();
  for (const [id, { extends: format, proof = [] }] of Object.entries(source.families))
    for (const [index, { weight, ...signal }] of proof.entries()) {
      if (weight !== 'strong') continue;
      const key = JSON.stringify([format, signal]);
      const owner = owners.get(key);
      if (owner !== undefined && owner !== id)
        report(['families', id, 'proof', index], 'family-like-another', `this is a strong signal of family \`${owner}\` already`);
      else owners.set(key, id);
    }
}
