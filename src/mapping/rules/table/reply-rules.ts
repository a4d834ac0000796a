/** Rules about replies: what scripts are told, and what they must never be told. */
import { error, warning, type RuleTable } from '../rule';

export const REPLY_RULES = {
  'missing-reply': error(
    'A list has no reply',
    'Scripts would import an empty list and delete their plans.',
    'Add `reply: { success: … }`.',
  ),
  'outcome-without-reply': error(
    'An outcome has no reply',
    'The script would get `{}`, which some read as success and most as failure, whatever became of the money.',
    'Include a block such as `purchase`, or add fields below `always:`.',
  ),
  'outcome-without-words': error(
    'A purchase is answered without the outcome’s words',
    'Scripts decide by `status` or `Status` whether they deliver, wait or refund. Without them they refund what v1 has charged.',
    'Include the block `words`, or add `status: $words.status` and `Status: $words.Status`.',
  ),
  'unknown-block': error('There is no block of this name', 'The fields would be missing.', 'Take the name of the hint.'),
  'block-cycle': error('A block includes itself', 'It would never end.', 'Take one of the includes away.'),
  'unused-block': warning(
    'A block is not included anywhere',
    'It has no effect; perhaps an `include` was forgotten.',
    'Include it, or delete it.',
  ),
  'unused-row': warning(
    'A row shape is not used anywhere',
    'It has no effect; perhaps a list was forgotten.',
    'Use it in an `each`, or delete it.',
  ),
  'error-outside-failure': error(
    'A success or pending reply has a field `error`',
    'Several scripts refund when `error` is set, whatever the status says, and v1 has charged.',
    'Move it below `failure:`.',
  ),
  'error-no-list': error(
    '`error` of a failure is no list of one text',
    'Scripts read `error[0]`: of a text that is its first letter, and of null a PHP warning inside the reply.',
    'Write `error: [$text]`.',
  ),
  'pending-tells-success': error(
    'A pending reply tells a success or a token',
    'Scripts that look at `success` deliver at once; a token that is null is printed on the receipt.',
    'Move `success` below `success:`; tell a token in pending only `when` it is present.',
  ),
  'failure-tells-success': error(
    'A failure tells what only a success has',
    'A `name`, `token`, `pin`, an `id` or `success: true` makes some script deliver what was not charged.',
    'Move it below `success:`, say `$order.number` or `$order.reference` (null on a failure), or set `id: null` below `failure:`.',
  ),
  'message-no-text': error(
    'A message is not always a text',
    'A list or null in `message`, `msg`, `api_response` or `response` is a fatal error in PHP 8, in the middle of a sale.',
    'Use `$text`, or a text of your own.',
  ),
  'text-says-balance': warning(
    'A text holds the word “balance” or “insufficient”',
    'One family of scripts replaces such texts by “report to admin”, whatever else they say.',
    'Say it in other words.',
  ),
  'text-missing': warning(
    'There is no text for an outcome',
    'When v1 gives no message, the script would show the bare word of the outcome to its customer.',
    'Add the text below `texts:`.',
  ),
  'text-unknown': warning(
    'A text is for nothing',
    'No outcome has this name, so it is never said.',
    'Take the name of the hint, or delete it.',
  ),
  'text-empty': error(
    'A text is empty',
    'Scripts show it to customers, and an empty message counts as no message at all.',
    'Write a sentence.',
  ),
  'failure-word-misread': error(
    'A failure is told in a word that scripts read otherwise',
    'The script delivers, or keeps waiting, for an order that was never charged. The reply that would be sent is judged, whichever layer brings the word: `words`, a block, an operation, a format or a caller.',
    'Below `words:` use `fail` for `status` and `failed` for `Status`. A constant of a reply: take it out, or move it to its own outcome.',
  ),
  'pending-word-misread': error(
    'A pending order is told in a word that scripts read otherwise',
    'A script that reads success delivers what may never be charged; one that reads failure refunds what v1 has charged (`process` too is a refund in two families). The reply that would be sent is judged, whichever layer brings the word: `words`, a block, an operation, a format or a caller.',
    'Below `words:` use `pending` for `status` and `processing` for `Status`. A constant of a reply: take it out, or move it to its own outcome.',
  ),
  'success-word-misread': error(
    'A success is told in a word that scripts read otherwise',
    'The order is charged, and then refunded by the script. The reply that would be sent is judged, whichever layer brings the word: `words`, a block, an operation, a format or a caller.',
    'Below `words:` use `success` for `status` and `successful` for `Status`. A constant of a reply: take it out, or move it to its own outcome.',
  ),
  'text-of-other-outcome': error(
    'A text of one outcome tells another',
    'Some scripts look for “successful” inside the text, and whoever reads “failed” beside a pending order sends it again or gives the money back.',
    'Say what became of the order, and nothing of what might have.',
  ),
  'outcome-http': error(
    'The HTTP status of an outcome contradicts it',
    'Many clients look at the status first: a success with 4xx is a refund, a failure with 2xx may be a delivery.',
    'Use 200 for success and pending, and a 4xx such as 400 for failure.',
  ),
} as const satisfies RuleTable;
