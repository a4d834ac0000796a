/** Rules about values of replies and calls: where they come from and what they are turned into. */
import { error, type RuleTable } from '../rule';

export const VALUE_RULES = {
  'bad-expression': error(
    'A value beginning with $ is not of the form $path or $path | transform',
    'It would be told to the script as it stands.',
    'Write `$order.charged | naira`. A text that really begins with `$` is not possible.',
  ),
  'unknown-source': error(
    'A value comes from something that does not exist',
    'The field would be null for ever.',
    'Take a field or join of this operation, or one of the sources in docs/mapping-reference.md.',
  ),
  'source-not-available': error(
    'A value comes from something that this kind of reply does not have',
    'A purchase has no `$v1`, a lookup has no `$order`: the field would be null for ever.',
    'Take a source that docs/mapping-reference.md lists for this kind of operation and outcome.',
  ),
  'unknown-path': error(
    'A path leads to nothing',
    'The source exists, but has no such part: the field would be null for ever.',
    'Take one of the parts that the hint lists.',
  ),
  'unknown-list': error(
    'The catalog has no list of this name',
    'The list would be empty for ever.',
    'Take one of the lists that the hint names.',
  ),
  'unknown-column': error(
    'The rows of a list have no such column',
    'A condition on it filters nothing or everything; a value from it is null in every row.',
    'Take one of the columns that the hint lists.',
  ),
  'unknown-row': error(
    'There is no row shape of this name',
    'The list would be empty for ever.',
    'Define the shape below `rows:`, or take the name of the hint.',
  ),
  'each-over-no-list': error(
    '`each` goes over something that is no list of rows',
    'The script would always get an empty list.',
    'Go over a list of the catalog, `$networks`, or `$orders`.',
  ),
  'unknown-transform': error(
    'There is no transform of this name',
    'The value could not be made.',
    'Take one from the tables in docs/mapping-reference.md.',
  ),
  'transform-without-table': error(
    '`id` is applied to a field that has no table',
    'Only a table knows v1’s own number of a value.',
    'Read the field through a table (`as:`), or leave the transform out.',
  ),
  'transform-of-wrong-kind': error(
    'A transform is applied to a kind of value that it does not take',
    'A transform gives null for what it does not understand, and the script reads nothing.',
    'Take the transform that fits: `naira` for amounts, `iso` for times, `pins` for cards.',
  ),
  'amount-in-kobo': error(
    'An amount is given without `| naira`',
    'Inside, amounts are kobo: the script or v1 would see a hundred times the amount.',
    'Add `| naira` for a number, or `| naira_text` for text with two decimals.',
  ),
  'bad-first': error('`first` does not hold a list', 'There is nothing to choose from.', 'Write `{ first: [$a, $b] }`.'),
  'bad-when': error(
    '`when` does not hold conditions',
    'The value would always or never be told.',
    'Write `{ when: { $order.token: present }, value: $order.token }`.',
  ),
  'condition-never-holds': error(
    'A condition compares with a word that the value never has',
    'What depends on it never happens.',
    'Take a value of the table, in the spelling of the table.',
  ),
  'bad-where': error(
    'A condition on rows is no map',
    'It would filter nothing.',
    'Write `where: { network: MTN }`, or a list of such maps for `where_any`.',
  ),
  'bad-join': error(
    'A join does not compare exactly one column',
    'Joins look a row up by one value; anything else finds nothing.',
    'Write `where: { id: $plan }`.',
  ),
} as const satisfies RuleTable;
