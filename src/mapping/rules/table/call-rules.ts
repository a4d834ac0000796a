/** Rules about operations and what v1 is asked on their behalf. */
import { error, warning, type RuleTable } from '../rule';

export const CALL_RULES = {
  'missing-call': error(
    'An operation has no call',
    'Every kind but `list` asks v1 something.',
    'Add `call: { to: …, send: … }`.',
  ),
  'unknown-endpoint': error(
    'v1 has no such endpoint',
    'Every request of this operation would fail with 404.',
    'Take an endpoint of the specification.',
  ),
  'purchase-without-purchase': error(
    'A purchase calls an endpoint that sells nothing',
    'The script would be told a success and the customer would get nothing.',
    'Call the endpoint that sells it, or change the kind of the operation.',
  ),
  'read-that-buys': error(
    'An operation that is no purchase calls an endpoint that debits the wallet',
    'Only purchases are written into the journal before they are sent: this one could be charged twice and nobody would know.',
    'Make it `kind: purchase`, or call an endpoint that only reads.',
  ),
  'unknown-v1-field': error(
    'v1 has no such field',
    'v1 ignores it or refuses the order; either way it does not do what it says.',
    'Take a field of the specification.',
  ),
  'missing-v1-field': error('A field that v1 requires is not sent', 'v1 would refuse every order.', 'Add it below `send:`.'),
  'reserved-v1-field': error(
    '`pin` or `request_id` is sent by the mapping',
    'The gateway adds both. Another request id would break the promise that nothing is charged twice.',
    'Delete it from `send:`.',
  ),
  'v1-type-mismatch': error(
    'A value is not of the type that v1 takes',
    'v1 refuses text where it wants a number, and a yes or no where it wants text.',
    'Read the field with another `as:`, or add a transform such as `id`, `naira` or `text`.',
  ),
  'v1-field-not-required': error(
    'A field that v1 requires comes from one that scripts may leave out',
    'The order would go out without it, and the script would hear v1’s words instead of the name of its own field.',
    'Add `required: true` or a default to the field.',
  ),
  'constant-recipient': error(
    'A purchase always goes to the same recipient',
    'Whoever buys, the same number is topped up, at the customer’s expense.',
    'Send the field of the script, such as `$phone`.',
  ),
  'value-without-id': error(
    'A value of a table has no v1 number where one is sent',
    'v1 would get the order without the field.',
    'Add `id:` to the value.',
  ),
  'lookup-key-on-purchase': error(
    'A purchase is served without a key',
    'It would be bought with the operator’s key: anybody could spend the operator’s money.',
    'Delete `without_key`. It is for lookups alone.',
  ),
  'lookup-key-shows-operator': error(
    'An operation that shows an account is served without a key',
    'Strangers would see the operator’s balance, prices or orders.',
    'Delete `without_key`. It is for lookups alone.',
  ),
  'key-in-outside-login': error(
    'A key is read from the fields of something that is no login',
    'Fields are kept and shown as names and values: the order would stand in the journal under a key that was sent in the open.',
    'Delete `key_in`. It is for an operation of kind `read`, where a script logs in.',
  ),
  'undecided-moves-money': error(
    'A purchase falls back to a format when nothing tells',
    'The formats read network numbers differently: the wrong network would be sold on a guess.',
    'Delete `undecided`. Without it such a purchase is refused with an explanation.',
  ),
  'guard-cannot-tell': error(
    'The numbering guard has nothing to hold a number against',
    'The guard would pass everything in silence, or take a ported number for one that is not.',
    'Name a number field that is read through a table with prefixes, a phone field that is read as `phone`, and a field `ported` that is read as `flag`.',
  ),
  'purchase-without-guard': error(
    'A purchase sends a network by number and has a phone, but no numbering guard',
    'A script with another server’s network table sells AIRTEL for 9MOBILE, and nothing stops it.',
    'Add `numbering_guard: { number: network, phone: phone }`.',
  ),
  'status-without-id': error(
    'An order status has no field `id`',
    'The gateway looks orders up by the field of that name.',
    'Add `id: { from: […], as: order_id, required: true }`.',
  ),
  'join-unused': warning(
    'A join is not used',
    'It costs a search in the catalog and tells nothing; perhaps a reply field was forgotten.',
    'Use it in a reply, or delete it.',
  ),
  'operation-without-route': error('An operation has no address', 'Nobody can reach it.', 'Add `routes:`, here or in a format.'),
} as const satisfies RuleTable;
