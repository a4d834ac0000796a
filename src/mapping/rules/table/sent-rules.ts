/** Rules about what becomes of the script's values on their way to v1. */
import { error, type RuleTable } from '../rule';

export const SENT_RULES = {
  'v1-field-misfed': error(
    'A v1 field is fed from a field that means something else',
    'v1 takes it when the type fits: another plan, another number or another amount is bought than the script asked for.',
    'Send the field that is read as what v1 needs there, or read it with the transform or table that it is.',
  ),
  'constant-in-call': error(
    'A v1 field is made up where the script says it',
    'Whatever the script asks for, v1 is asked for something else; or for that as soon as the script’s own value is missing.',
    'Send the script’s field alone. What is required is refused when it is absent, in the script’s own words.',
  ),
  'format-number-sent': error(
    'The number of a script’s format is sent to v1',
    'Every format numbers networks and providers its own way, and v1 has numbers of its own: another one is bought.',
    'Use `| id` for v1’s number, or send the word itself.',
  ),
  'v1-field-unsent': error(
    'What a script says and v1 takes is not sent',
    'v1 goes by its own default: one card instead of ten, or a ported number that is refused.',
    'Add the field below `send:`, or take it out of `fields:` and name its spellings in `ignore:`.',
  ),
  'value-not-of-v1': error(
    'A table has a value or a number that v1 does not know',
    'v1 compares exactly: it refuses every such order, or sells what it knows by that number.',
    'Spell the value, or number it, as the specification does. What scripts say belongs into `words` and `numbers`.',
  ),
  'default-buys': error(
    'A default decides what is bought',
    'A script that forgets the field would buy something that nobody asked for, and pay for it.',
    'Delete the default and write `required: true`.',
  ),
  'lenient-buys': error(
    'A field that decides what is bought is lenient',
    'A value that cannot be read counts as left out, so that v1’s default is bought instead of refusing the order.',
    'Delete `lenient`. It is for what is merely echoed.',
  ),
  'bound-not-positive': error(
    'A smallest value lets nothing, or less, be bought',
    'The order goes to v1 for an amount that it refuses or, worse, takes.',
    'Write the smallest value that can be bought, such as `min: 1`.',
  ),
  'recipient-is-contact': error(
    'Who is served is read from a customer’s contact',
    'The customer’s own number is topped up instead of the number that the order is for.',
    'Take the spelling out. A contact may be a field of its own, or stand in `ignore`.',
  ),
  'lookup-by-another': error(
    'A list of the catalog is looked up by something else',
    'It finds nothing, or the price and name of another plan, which scripts show, store and charge.',
    'Look up in the list that the field’s table stands for, by that field.',
  ),
  'request-id-repeats': error(
    'The request id is read from what two orders can share',
    'The second sale to that customer, on that day or for that amount is told as the first, and never bought.',
    'Take the spelling out of `request_id`; name it in `ignore` of the operations that send it.',
  ),
  'purchase-by-get': error(
    'A purchase is served by GET',
    'Browsers, proxies and link previews send a GET again without asking: each time may be a sale.',
    'Serve it by POST alone.',
  ),
  'proof-of-unread-field': error(
    'A format is proved by a field that no operation reads',
    'Such a signal never speaks: the requests that it stands for are refused, or taken for another format, which numbers networks otherwise.',
    'Take the spelling of a field, or name it in `ignore` of an operation.',
  ),
  'patience-too-short': error(
    'A caller is not waited for as long as an order takes',
    'It hears of every order that it is pending, and many scripts have no word for that: they refund what is then delivered.',
    'Give it the time that its scripts wait. A single impatient script has a line of its own below `callers.keys`.',
  ),
  'try-too-short': error(
    'A try is given up while v1 is still at work',
    'Nothing is known then of an order that v1 may have charged.',
    'Give `try` at least two seconds (the shipped one has a minute) and `read` at least one.',
  ),
  'kind-takes-everybody': error(
    'A kind of caller takes every User-Agent',
    'Everybody would be waited for as long as this kind, and clients that give up earlier refund what is delivered.',
    'Name the User-Agents of this kind; the kind without `user_agents` is everybody else.',
  ),
} as const satisfies RuleTable;
