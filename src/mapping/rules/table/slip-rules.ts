/** Rules about slips of the pen: what was typed is not what was meant, and no reader sees it. */
import { error, warning, type RuleTable } from '../rule';

export const SLIP_RULES = {
  'spelling-impossible': error(
    'A spelling has a character that no field has in its name',
    'It matches nothing: the field counts as left out, and a request id that is not seen lets a repeated order be bought twice.',
    'Write each spelling by itself, as the script sends it.',
  ),
  'dollar-forgotten': error(
    'A source is written without its `$`',
    'Everybody is told these very letters, and a script that finds any token or id delivers.',
    'Put the `$` in front. A text that is meant as it stands can be worded otherwise.',
  ),
  'invisible-character': error(
    'A character that cannot be seen stands in a name or a word',
    'A zero-width or hard blank, mostly copied from a page or a chat: the name is another one, and nothing shows it.',
    'Delete the word and type it again.',
  ),
  'look-alike-letter': error(
    'A letter of another script stands among ours',
    'A Cyrillic `о` is no `o`: the name is another one, and nothing shows it.',
    'Type the word again.',
  ),
  'typographic-quote': error(
    'A typographic quote stands where one of YAML was meant',
    'It quotes nothing: it is part of the name or the word, which then matches nothing.',
    'Use \' or ", or none.',
  ),
  'text-cut-by-comment': warning(
    'A text may be cut off by its own #',
    'After a blank, # begins a comment: the rest of the sentence is not told.',
    'Put the text in quotes; or put a blank after the # of a comment.',
  ),
} as const satisfies RuleTable;
