/** Rules about formats and the signals that prove them. */
import { error, warning, type RuleTable } from '../rule';

export const FORMAT_RULES = {
  'unknown-format': error(
    'There is no format of this name',
    'What depends on it would be decided by chance.',
    'Take the id of a format file.',
  ),
  'unknown-family': error(
    'There is no family of this name',
    'Its scripts would be told in words that they may read as another outcome.',
    'Take the name of a family.',
  ),
  'family-of-other-format': error(
    'A key names a family and another format than the family has',
    'Its numbers would be read by one format, and its replies written for another.',
    'Leave `format` out: the family brings its own.',
  ),
  'family-numbers-unsaid': warning(
    'A key of a family whose scripts have numbers of their own is read by those of the format',
    'A family changes nothing of what is bought: 4 would go on buying another network than the script means.',
    'Say the numbers of the key, as the family has them.',
  ),
  'family-like-another': warning(
    'Two families of one format have the same strong signal',
    'A request with it proves both alike, and is told in the words of neither.',
    'Add to each what only its scripts show, or make one family of the two.',
  ),
  'unknown-operation': error(
    'There is no operation of this name',
    'What is said about it has no effect.',
    'Take the name of an operation.',
  ),
  'format-unprovable': error(
    'Nothing in a request can prove a format',
    'Its scripts would be taken for another format’s, which numbers networks differently.',
    'Add strong or medium signals below `proof:`, a login, or addresses of its own.',
  ),
  'empty-signal': error(
    'A signal names nothing to look for',
    'It would never apply.',
    'Add `any_field`, `all_fields`, `field` with `is`, `path` or `auth`.',
  ),
  'numbers-of-table': error(
    'A format says the numbers of a field that a table reads',
    'They would never be read: what a number means to a table is said of the table.',
    'Say them below `numbers` of the format.',
  ),
  'half-signal': error(
    '`field` and `is` do not stand together',
    'One without the other says nothing.',
    'Write `field: plan_type, is: [VTU]`.',
  ),
  'signal-repeated': warning(
    'A format has one signal twice',
    'It would weigh double, or one of the two was meant to be something else.',
    'Delete the second.',
  ),
  'signal-contradiction': error(
    'One thing is a strong signal of two formats',
    'Every request with it is contested, so purchases that need the network number are refused.',
    'Leave it with the format whose scripts alone send it, or make it `weak` in both.',
  ),
  'signal-never-applies': error(
    'A signal waits for an address that is not served',
    'It never applies, so the format is proved by less than it looks.',
    'Take an address that stands in `routes`, or delete the signal.',
  ),
  'login-shared': error(
    'Two formats claim the login',
    'An AccessToken carries the mark of one format: scripts of the other would be read by the wrong network numbers.',
    'Leave `login: basic` with one format.',
  ),
} as const satisfies RuleTable;
