/** Rules about files: whether they can be read at all, and what stands twice or nowhere. */
import { error, warning, type RuleTable } from '../rule';

export const FILE_RULES = {
  'unreadable-folder': error(
    'The mappings folder cannot be read',
    'Without its files the gateway knows no format and cannot start.',
    'Set `MAPPINGS_DIR` to the folder that holds the YAML files, and let the user that runs the gateway read it.',
  ),
  'unreadable-file': error(
    'A mapping file cannot be read',
    'A set without one of its files is another set. A link that leads nowhere, a folder or a pipe with the name of a mapping file is no text.',
    'Put the file back, mend the link, or let the user that runs the gateway read it.',
  ),
  'empty-folder': error(
    'The mappings folder has no mapping file',
    'Nothing in it ends in `.yaml`, `.yml` or `.json`, so no address would be served.',
    'Set `MAPPINGS_DIR` to the right folder, or copy the shipped `mappings/` there.',
  ),
  'unknown-extension': warning(
    'A file in the mappings folder is not read',
    'Only `*.yaml`, `*.yml` and `*.json` (which is YAML too) count: `format-c.yaml.txt` or `networks.yaml.bak` looks like a part of the set and is none.',
    'Rename the file, or move it out of the folder. Notes may be `*.md` files or hidden.',
  ),
  'file-too-large': error(
    'A mapping file is too large',
    'Mappings are written by hand; a file of more than 1 MB is something else, and reading it would hold up every request.',
    'Check what this file is. A set may have any number of smaller files.',
  ),
  'not-utf8': error(
    'A mapping file is not UTF-8 text',
    'The bytes at this place are no character, so a word or a text would not be what its author wrote.',
    'Save the file as UTF-8.',
  ),
  'byte-order-mark': warning(
    'A file begins with a byte-order mark',
    'It is invisible and stands in front of the first key; other tools that read this file may stumble over it.',
    'Save the file as UTF-8 without a byte-order mark.',
    'takes the mark away',
  ),
  'empty-file': warning(
    'A mapping file holds nothing',
    'An empty file is often one whose content was lost in a copy.',
    'Delete it, or put back what belongs in it.',
  ),
  'yaml-syntax': error(
    'The file is not YAML',
    'Nothing after this place can be trusted to mean what it looks like.',
    'Look at the line and the one before it: a bracket, a quote or an indent is off.',
  ),
  'yaml-tab': error(
    'A tab is used for indentation',
    'YAML forbids tabs there, because their width is anybody’s guess.',
    'Use two spaces for each level.',
  ),
  'duplicate-key': error(
    'A key stands twice in one place',
    "Only one of the two could win, and it is not obvious which. Quotes make no difference: `2` and `'2'` are one number.",
    'Keep the right one and delete the other.',
  ),
  'alias-bomb': error(
    'YAML aliases multiply beyond reason',
    'A few lines of `*alias` inside `&anchor` can grow to gigabytes while they are read.',
    'Write the values out. Blocks, rows and tables are there for what is shared.',
  ),
  'missing-section': error(
    'A section that every set needs is in no file',
    'Without it the gateway would have to guess words, limits or spellings that decide about money.',
    'Add the section; the shipped files show each of them.',
  ),
  'defined-twice': error(
    'A name is defined in two places',
    'The second would replace the first in silence.',
    'Keep one, or give the other a name of its own.',
  ),
  'unknown-key': error(
    'A key is not in the mapping language',
    'What stands below a misspelt key has no effect.',
    'Take the key of the hint, or look it up in docs/mapping-reference.md.',
    'renames the key when exactly one known key is near and it has nothing to do with money',
  ),
  schema: error(
    'A value is not of the kind that its key takes',
    'The value cannot mean anything there.',
    'The message says what was expected; docs/mapping-reference.md describes every key.',
  ),
  'unknown-choice': error(
    'A value is not one of the words that its key takes',
    'The key knows a closed list of words, and this is none of them.',
    'Take one of the words of the message.',
  ),
  'bad-name': error(
    'A name is not written like a name',
    'Names are used after `$`, in the reference and in metrics; capitals and dashes do not work in all of these.',
    'Write it in lower case with underscores, such as `buy_airtime`.',
  ),
  'bad-duration': error(
    'A duration is not written like one',
    'A bare number could be seconds or milliseconds: a thousandfold difference in how long money is in doubt.',
    'Write a whole number with `ms`, `s`, `m` or `h`, such as `40s`.',
  ),
  'bad-fingerprint': error(
    'A caller is not named by a fingerprint',
    'Keys of callers are named by 32 hex digits that are made of the key; anything else matches nobody, or is the key itself.',
    'Run `compat-gateway fingerprint`, type the key, and paste what it prints.',
  ),
  'empty-list': error(
    'A list is empty',
    'An empty list of fields is found in every request, an empty list of spellings in none: neither is ever meant.',
    'Fill the list, or delete its key.',
  ),
  'secret-literal': error(
    'A mapping file seems to hold a secret',
    'Mappings are read by many people, kept in repositories, shown by tools and copied into the data folder.',
    'Take the secret out, and change it wherever it was valid. Callers are named by fingerprints, never by keys.',
  ),
} as const satisfies RuleTable;
