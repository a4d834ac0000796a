/** Rules about fields: what a script may call them and what is read from them. */
import { error, warning, type RuleTable } from '../rule';

export const FIELD_RULES = {
  'spelling-shared': error(
    'One spelling belongs to two fields of an operation',
    'The same value would be read as two different things, such as a phone number and a meter number.',
    'Leave the spelling with the field that scripts mean by it.',
  ),
  'spelling-repeated': warning(
    'A spelling stands twice in a list',
    'It has no effect, and the next reader wonders which one was meant to be something else.',
    'Delete the second.',
    'deletes the second',
  ),
  'spelling-untrimmed': warning(
    'A spelling has spaces around it, or is empty',
    'No script sends a field with such a name, so the spelling matches nothing.',
    'Take the spaces away.',
    'takes the spaces away',
  ),
  'ignored-and-read': error(
    'A spelling is ignored and read in one operation',
    '`ignore` says that a field means nothing here, and yet it decides what is bought.',
    'Delete it from one of the two.',
  ),
  'request-id-is-field': error(
    'A spelling of the request id is also a field of a purchase',
    'The field’s value would become the order’s id: two sales to one customer would look like one and the second would not be bought.',
    'Take the spelling out of the field, or out of `request_id`.',
  ),
  'reserved-name': error(
    'A field has the name of something else in replies',
    '`$order` would mean the field in one place and the order in another.',
    'Rename the field; its spellings stay as they are.',
  ),
  'name-clash': error('A name is both a transform and a table', 'It is not clear how the field is read.', 'Rename the table.'),
  'unknown-field': error(
    'A field is named that the operation does not have',
    'What is said about it has no effect.',
    'Take the name of a field of this operation.',
  ),
  'required-with-default': error(
    'A required field has a default',
    'It is refused when absent, so the default is never used: one of the two is not what was meant.',
    'Delete `required` or `default`.',
  ),
  'try-values-misplaced': error(
    'Values are tried where only one can be sent',
    'A lookup is free and can be asked twice. Elsewhere the first value would be taken for what the script means, and two such fields would hide each other.',
    'Delete `try_values`, or keep it for one field of a lookup that is neither required nor has a default.',
  ),
  'required-and-lenient': error(
    'A required field is lenient',
    'Lenient means that an unusable value counts as absent, and absent means refused with the wrong reason.',
    'Delete one of the two. What v1 needs is never lenient.',
  ),
  'bad-default': error(
    'A default is no value of its kind',
    'Every request without the field would fail.',
    'Write the default as a script would send it: `100`, `MTN`, `true`.',
  ),
  'bad-bound': error(
    'A bound of an amount is not whole kobo',
    'Amounts have two decimals at most.',
    'Write at most two decimals.',
  ),
  'min-over-max': error('`min` is above `max`', 'No value is between them: every request is refused.', 'Swap or mend them.'),
  'bound-on-text': error(
    '`min` or `max` is set on what is no number',
    'Bounds of numbers have no effect on text.',
    'Use `length_max` for text, or delete the bound.',
  ),
  'length-on-number': error(
    '`length_max` is set on what is no text',
    'A length has no effect on numbers and flags.',
    'Use `min` and `max` for numbers.',
  ),
} as const satisfies RuleTable;
