/** Rules about tables: words, numbers, ids and prefixes. */
import { error, warning, type RuleTable } from '../rule';

export const TABLE_RULES = {
  'unknown-table': error('There is no table of this name', 'The numbers would mean nothing.', 'Take the name of a table.'),
  'unused-table': warning(
    'A table is not used by any field',
    'It has no effect; perhaps an `as:` was forgotten.',
    'Use it, or delete it.',
  ),
  'table-reads-nothing': error(
    'A table can read no value at all',
    'Every request with a field of it would be refused.',
    'Add `values`, let `unlisted` ones through, or name a `catalog` list.',
  ),
  'unknown-value': error(
    'A value is not in its table',
    'The number would be read as something that v1 does not know.',
    'Take a value of the table, or add it there; for a caller’s own number also a number that the table itself reads.',
  ),
  'number-repeated': error(
    'A number stands twice in a numbering',
    "`1` and `01` are the same number, as `2` and `'2'` are the same key; the second would win in silence.",
    'Keep one of the two.',
  ),
  'numbering-not-one-to-one': error(
    'Two numbers mean the same value',
    'A list made of such a table does not read back, and one of the two numbers is most likely another value’s.',
    'Give each value one number.',
  ),
  'numbering-incomplete': warning(
    'A value has no number in a format’s numbering',
    'Scripts that send numbers cannot buy it, and lists show it without a number.',
    'Add the number, if the scripts of this format have one.',
  ),
  'numbering-identical': warning(
    'Another numbering is the same as a format’s',
    'The numbering guard compares with what differs; this one can never explain anything.',
    'Mend the numbers, or delete it.',
  ),
  'word-shared': error(
    'One word belongs to two values of a table',
    'The second would win in silence: the wrong network or provider would be sold.',
    'Leave the word with the value that scripts mean by it.',
  ),
  'empty-word': error(
    'A word has neither letter nor digit',
    'Words are compared by letters and digits alone, so nothing can match it.',
    'Delete it.',
  ),
  'word-is-number': error(
    'A word of a table is a number',
    'Numbers are read by the numbering and never as words: it has no effect, or it contradicts the numbering.',
    'Put it below `numbers:`.',
  ),
  'id-shared': error(
    'Two values of a table have the same v1 number',
    'One of them would be sold as the other.',
    'Look the number up in v1’s documents.',
  ),
  'prefix-shared': error(
    'One prefix belongs to two networks',
    'The numbering guard and the choice of format would depend on the order of the file.',
    'Leave it with the network that owns it.',
  ),
  'prefix-malformed': error(
    'A prefix is not written like one',
    'No phone number begins with it. Without quotes YAML may also read it as an octal number.',
    "Write four or five digits in quotes, such as '0803'.",
  ),
} as const satisfies RuleTable;
