/**
 * Every key of the mapping language: how its value is compared, whether a change of it can move money, and how a change
 * is said. Closed: a test walks the schema and fails on a key that is not here.
 */

export type Shape =
  /** Compared as it is. */
  | 'constant'
  /** False and absent are one. */
  | 'flag'
  /** `on` and absent are one. */
  | 'guard'
  /** Neither order nor repetition counts. */
  | 'set'
  /** A set of words, compared as tables compare them. */
  | 'words'
  /** A set of User-Agents or names of headers, compared without case. */
  | 'agents'
  /** A set of addresses, a method each. */
  | 'routes'
  /** Number to value; `01` is 1. */
  | 'numbers'
  /** Order counts. */
  | 'sequence'
  /** Read as the field reads it: 100 and "100" are one amount. */
  | 'default'
  /** A value or a map of fields: see `canonical-value.ts`. */
  | 'value'
  /** The same, when nothing at all is as good as no fields. */
  | 'fields';

/** `money` with its reason, `plain`, or whatever decides it case by case in `judge-money.ts`. */
export type Judgement =
  { readonly money: string } | 'plain' | 'by field' | 'by reply field' | 'by row column' | 'by kind of operation';

export interface Rule {
  readonly shape: Shape;
  readonly judged: Judgement;
  /** What it is; `{1}` is the first name of the path. A change is said as `…: before -> after`. */
  readonly says: string;
  /** Sets: what an item that is new, or gone, means. */
  readonly added?: string;
  readonly removed?: string;
}

const set = (shape: Shape, judged: Judgement, says: string, added: string, removed: string): Rule => ({
  shape,
  judged,
  says,
  added,
  removed,
});
const one = (shape: Shape, judged: Judgement, says: string): Rule => ({ shape, judged, says });
const money = (reason: string): Judgement => ({ money: reason });

const FORMAT = money('decides which format a request is taken for');
const NETWORK = money('decides what a number or word buys');
const LISTS = money('scripts import plan numbers and prices from these lists');
const OUTCOME = money('tells scripts how an order ended');
const AFTER_PENDING = money('decides whether an order is still bought after its script has heard pending');

const field = (key: string, shape: Shape = 'constant'): Rule => one(shape, 'by field', `{1}: field {2}: ${key}`);
const replyLayer = (where: string, outcome: string): Rule => one('fields', 'by reply field', `${where}${outcome}`);

/** What holds for every reply, wherever it stands. */
function reply(path: string, where: string): Record<string, Rule> {
  return {
    [`${path}.include`]: one('sequence', OUTCOME, `${where}: included blocks`),
    [`${path}.always`]: replyLayer(where, ''),
    [`${path}.success`]: replyLayer(where, ' to a success'),
    [`${path}.pending`]: replyLayer(where, ' while pending'),
    [`${path}.failure`]: replyLayer(where, ' to a failure'),
  };
}

export const LANGUAGE: Readonly<Record<string, Rule>> = {
  'operations.*.title': one('constant', 'plain', '{1}: title'),
  'operations.*.kind': one('constant', money('decides whether the operation moves money'), '{1}: kind'),
  'operations.*.routes': set(
    'routes',
    'by kind of operation',
    '{1}: addresses',
    '{1} is also served at {item}',
    '{1} is no longer served at {item}',
  ),
  'operations.*.fields.*.from': set(
    'set',
    'by field',
    '{1}: field {2}: spellings',
    '{1}: field {2} is also read from `{item}`',
    '{1}: field {2} is no longer read from `{item}`',
  ),
  'operations.*.fields.*.otherwise': set(
    'set',
    'by field',
    '{1}: field {2}: last spellings',
    '{1}: field {2} is read from `{item}` when nothing else is there',
    '{1}: field {2} is no longer read from `{item}` when nothing else is there',
  ),
  'operations.*.fields.*.as': field('read as'),
  'operations.*.fields.*.required': field('required', 'flag'),
  'operations.*.fields.*.default': field('default', 'default'),
  'operations.*.fields.*.lenient': field('lenient', 'flag'),
  'operations.*.fields.*.min': field('least'),
  'operations.*.fields.*.max': field('most'),
  'operations.*.fields.*.length_max': field('most characters'),
  'operations.*.fields.*.try_values': field('values to try in turn', 'sequence'),
  'operations.*.fields.*.required_if.path': field('required at'),
  'operations.*.fields.*.required_if.sent_empty': field('required with an empty'),
  'operations.*.fields.*.required_if.why': one('constant', 'plain', '{1}: field {2}: why it is required'),
  'operations.*.key_in.key': one('constant', money('decides whose key asks v1'), '{1}: field of the key'),
  'operations.*.key_in.pin': one('constant', money('decides whose key asks v1'), '{1}: field of the PIN'),
  'operations.*.ignore': set(
    'set',
    'plain',
    '{1}: ignored fields',
    '{1}: `{item}` is known and ignored',
    '{1}: `{item}` is no longer ignored, it counts as unknown',
  ),
  'operations.*.without_key': one('constant', money('decides whose key asks v1'), '{1}: requests without a key'),
  'operations.*.undecided': one('constant', FORMAT, '{1}: format when nothing tells'),
  'operations.*.numbering_guard.number': one('constant', money('guards against a wrong network'), '{1}: numbering guard, number'),
  'operations.*.numbering_guard.phone': one('constant', money('guards against a wrong network'), '{1}: numbering guard, phone'),
  'operations.*.numbering_guard.ported': one('constant', money('guards against a wrong network'), '{1}: numbering guard, ported'),
  'operations.*.join.*.list': one('constant', money('names and prices of the reply come from it'), '{1}: join {2}: list'),
  'operations.*.join.*.where.*': one('value', money('names and prices of the reply come from it'), '{1}: join {2} by {3}'),
  'operations.*.categories': set(
    'set',
    money('tells lost orders apart when they are looked for at v1'),
    '{1}: categories',
    '{1}: v1 may call it `{item}`',
    '{1}: `{item}` is no longer a category of it',
  ),
  'operations.*.catalog': one('constant', LISTS, '{1}: lists of the catalog'),
  'operations.*.call.to': one('constant', money('is what v1 is asked'), '{1}: v1 endpoint'),
  'operations.*.call.send': one('fields', money('is what v1 is asked'), '{1}: v1 call'),
  'operations.*.patience.*': one('constant', 'plain', '{1}: patience of {2}, ms'),
  'operations.*.after_pending': one('constant', AFTER_PENDING, '{1}: once a script has heard pending'),
  ...reply('operations.*.reply', '{1}: reply'),

  'formats.*.title': one('constant', 'plain', 'format {1}: title'),
  'formats.*.numbers.*': one('numbers', NETWORK, '{2} number {3} of format {1}'),
  'formats.*.after_pending': one('constant', AFTER_PENDING, 'format {1}: once a script has heard pending'),
  'formats.*.login': one('constant', FORMAT, 'format {1}: login'),
  'formats.*.proof.*.weight': one('constant', FORMAT, 'format {1}, proof “{2}”: weight'),
  'formats.*.proof.*.any_field': set(
    'set',
    FORMAT,
    'format {1}, proof “{2}”: any field',
    'format {1}: field `{item}` speaks for it',
    'format {1}: field `{item}` no longer speaks for it',
  ),
  'formats.*.proof.*.all_fields': set(
    'set',
    FORMAT,
    'format {1}, proof “{2}”: all fields',
    'format {1}, proof “{2}”: `{item}` must be there as well',
    'format {1}, proof “{2}”: `{item}` need not be there',
  ),
  'formats.*.proof.*.field': one('constant', FORMAT, 'format {1}, proof “{2}”: field'),
  'formats.*.proof.*.is': set(
    'words',
    FORMAT,
    'format {1}, proof “{2}”: words',
    'format {1}, proof “{2}”: also `{item}`',
    'format {1}, proof “{2}”: no longer `{item}`',
  ),
  'formats.*.proof.*.path': one('constant', FORMAT, 'format {1}, proof “{2}”: address'),
  'formats.*.proof.*.spelled': one('constant', FORMAT, 'format {1}, proof “{2}”: spelling of the address'),
  'formats.*.proof.*.auth': one('constant', FORMAT, 'format {1}, proof “{2}”: authorization'),
  'formats.*.operations.*.routes': set(
    'routes',
    'by kind of operation',
    '{2}: addresses of format {1}',
    '{2} is also served at {item}, as format {1}',
    '{2} is no longer served at {item} as format {1}',
  ),
  'formats.*.operations.*.fields.*.from': set(
    'set',
    'by field',
    '{2}: field {3}: spellings of format {1}',
    '{2}: field {3} is also read from `{item}` (format {1})',
    '{2}: field {3} is no longer read from `{item}` (format {1})',
  ),
  'formats.*.operations.*.after_pending': one('constant', AFTER_PENDING, '{2} in format {1}: once a script has heard pending'),
  ...reply('formats.*.operations.*.reply', '{2} in format {1}: reply'),

  'tables.*.title': one('constant', 'plain', 'table {1}: title'),
  'tables.*.values.*.id': one('constant', NETWORK, '{1} {2}: v1 number'),
  'tables.*.values.*.label': one('constant', 'plain', '{1} {2}: name in lists'),
  'tables.*.values.*.words': set(
    'words',
    NETWORK,
    '{1} {2}: words',
    '{1} {2} is also called `{item}`',
    '{1} {2} is no longer called `{item}`',
  ),
  'tables.*.values.*.prefixes': set(
    'set',
    NETWORK,
    '{1} {2}: prefixes',
    '{1} {2} has the prefix {item}',
    '{1} {2} no longer has the prefix {item}',
  ),
  'tables.*.numbers': one('numbers', NETWORK, '{1} number {2}'),
  'tables.*.unlisted': one('constant', NETWORK, '{1}: what is not listed'),
  'tables.*.shown_in': set(
    'set',
    LISTS,
    '{1}: columns in a caller’s own numbers',
    '{1}: `{item}` is shown in a caller’s own numbers',
    '{1}: `{item}` is no longer shown in a caller’s own numbers',
  ),
  'tables.*.catalog.list': one('constant', NETWORK, '{1}: catalog list'),
  'tables.*.catalog.id': one('constant', NETWORK, '{1}: catalog column of the number'),
  'tables.*.catalog.name': one('constant', NETWORK, '{1}: catalog column of the name'),
  'other_numberings.*.title': one('constant', 'plain', 'other numbering “{1}”: title'),
  'other_numberings.*.table': one('constant', NETWORK, 'other numbering “{1}”: table'),
  'other_numberings.*.numbers': one('numbers', NETWORK, 'number {2} of “{1}”'),
  'other_numberings.*.sells_unported': one('flag', NETWORK, 'other numbering “{1}”: sells unported numbers'),

  request_id: set(
    'set',
    money('decides which requests are one and the same order'),
    'request id: spellings',
    'the request id is also read from `{item}`',
    'the request id is no longer read from `{item}`',
  ),
  request_id_headers: one('sequence', money('decides which requests are one and the same order'), 'request id: headers'),
  'words.*.http': one('constant', OUTCOME, '{1}: HTTP status'),
  'words.*.status': one('constant', OUTCOME, '{1}: word under `status`'),
  'words.*.Status': one('constant', OUTCOME, '{1}: word under `Status`'),
  // Some scripts look for a word in the text and decide by it.
  'texts.*': one('constant', OUTCOME, 'text of {1}'),
  ...reply('blocks.*', 'block {1}'),
  'rows.*': one('fields', 'by row column', 'rows {1}'),

  'callers.kinds.*.user_agents': set(
    'agents',
    'plain',
    'callers {1}: User-Agents',
    'callers {1}: also `{item}`',
    'callers {1}: no longer `{item}`',
  ),
  'callers.kinds.*.headers': set(
    'agents',
    'plain',
    'callers {1}: headers',
    'callers {1}: only with the header `{item}`',
    'callers {1}: also without the header `{item}`',
  ),
  'callers.kinds.*.patience': one('constant', 'plain', 'callers {1}: patience, ms'),
  'callers.kinds.*.after_pending': one('constant', AFTER_PENDING, 'callers {1}: once they have heard pending'),
  'callers.keys.*.format': one('constant', FORMAT, 'key {1}: format'),
  'callers.keys.*.guard': one('guard', money('guards against a wrong network'), 'key {1}: numbering guard'),
  'callers.keys.*.patience': one('constant', 'plain', 'key {1}: patience, ms'),
  'callers.keys.*.after_pending': one('constant', AFTER_PENDING, 'key {1}: once it has heard pending'),
  'callers.keys.*.replay': one('constant', money('decides whether a repeat is told a sale or refused'), 'key {1}: replay'),
  'callers.keys.*.numbers.*': one('numbers', NETWORK, 'key {1}: {2} number {3}'),
  'callers.keys.*.unlisted.*': one('constant', NETWORK, 'key {1}: {2} numbers that are not listed'),
  'callers.keys.*.lists.*': one('fields', LISTS, 'key {1}: shape of {2}'),
  'timing.reconnect': one('constant', 'plain', 'timing: reconnect, ms'),
  'timing.pursue': one('constant', 'plain', 'timing: pursue, ms'),
  'timing.try': one('constant', 'plain', 'timing: try, ms'),
  'timing.read': one('constant', 'plain', 'timing: read, ms'),
  'timing.quiet': one('constant', money('decides when an order counts as never sent'), 'timing: quiet, ms'),
  'timing.overdue': one('constant', 'plain', 'timing: overdue, ms'),
  'timing.replay': one('constant', money('decides whether a repeat is told a sale or refused'), 'timing: replay, ms'),
  'lookup_key.calls': one('constant', 'plain', 'lookup key: calls'),
  'lookup_key.window': one('constant', 'plain', 'lookup key: window, ms'),
  'lookup_key.total': one('constant', 'plain', 'lookup key: calls of all'),
  'lookup_key.owner': one('constant', 'plain', 'lookup key: calls kept for its owner'),
  'lookup_key.remember': one('constant', 'plain', 'lookup key: what was found is told again for, ms'),
  'lookup_key.seller.calls': one('constant', 'plain', 'lookups by the key that sold there: calls'),
  'lookup_key.seller.window': one('constant', 'plain', 'lookups by the key that sold there: window, ms'),
  'lookup_key.seller.within': one('constant', 'plain', 'lookups by the key that sold there: time after its sale, ms'),
};

/** What has a name of its own: it is new or gone as a whole. */
export const NAMED: Readonly<Record<string, string>> = {
  'operations.*': 'operation {1}',
  'operations.*.fields.*': '{1}: field {2}',
  'operations.*.numbering_guard': '{1}: the numbering guard',
  'operations.*.join.*': '{1}: join {2}',
  'operations.*.call': '{1}: the v1 call',
  'operations.*.reply': '{1}: the reply',
  'formats.*': 'format {1}',
  'formats.*.numbers.*': '{2} numbers of format {1}',
  'formats.*.proof.*': 'format {1}: proof “{2}”',
  'formats.*.operations.*.reply': '{2} in format {1}: the reply',
  'tables.*': 'table {1}',
  'tables.*.values.*': '{1} {2}',
  'tables.*.catalog': '{1}: the look into the catalog',
  'other_numberings.*': 'other numbering “{1}”',
  'blocks.*': 'block {1}',
  'rows.*': 'rows {1}',
  'callers.kinds.*': 'callers {1}',
  'callers.keys.*': 'key {1}',
  'callers.keys.*.numbers.*': '{2} numbers of key {1}',
};

/** Without any content they still are something. */
export const KEPT_EMPTY: ReadonlySet<string> = new Set([
  'operations.*',
  'formats.*',
  'formats.*.numbers.*',
  'tables.*',
  'tables.*.values.*',
  'blocks.*',
  'rows.*',
  'callers.kinds.*',
  // A list of own numbers without any refuses them all.
  'callers.keys.*.numbers.*',
]);
