/**
 * Every rule of `compat-gateway check`: its severity, and the places on which it depends. A problem of a mapping has one of these
 * ids. docs/rules has the text of each rule below a heading of its id, with an example that the tests run.
 */
import type { Problem } from '../problem';

export interface Rule {
  readonly severity: Problem['severity'];
  /** Places on which the rule depends besides that of its problem. `check.ts` drops the problem if one of them is a hole. */
  readonly looksAt: readonly string[];
  /** Set if its problems have the place of the key, and not of the value. */
  readonly at?: 'key';
}

const error = (...looksAt: string[]): Rule => ({ severity: 'error', looksAt });
const warning = (...looksAt: string[]): Rule => ({ severity: 'warning', looksAt });
const ofKey = (rule: Rule): Rule => ({ ...rule, at: 'key' });

/**
 * `*` is any name, `=` the operation of the problem, and `~` the step at the same depth of the problem's path. A place that ends in
 * `!` is a list of names: it counts as a hole only if a name of it is gone, or the whole list.
 */
const CALL = 'operations.=.call';
/** An operation without a kind of its own has that of its call. */
const KIND = ['operations.=.kind', CALL];
const TABLES = ['tables!', 'tables.*.values!', 'tables.*.catalog', 'tables.*.unlisted', 'tables.*.numbers'];
const FIELDS = ['operations.=.fields', ...TABLES];
const REPLIES = [
  'operations.=.reply',
  ...['formats', 'families'].flatMap((teller) => [`${teller}.*.reply`, `${teller}.*.operations.=.reply`]),
  'blocks',
  ...KIND,
];
/** The roots that are available in a block depend on every operation that includes it. */
const SOURCES = [...KIND, 'operations.=.catalog', 'operations.=.join'];
const SIGNALS = ['formats.~.proof.~'];
const SIGNALS_OF_FAMILY = ['families.~.proof.~'];

/** By the page of docs/rules that explains them, in the order of its headings. */
export const RULES_BY_PAGE = {
  files: {
    'unreadable-folder': error(),
    'unreadable-file': error(),
    'empty-folder': error(),
    'unknown-extension': warning(),
    'file-too-large': error(),
    'not-utf8': error(),
    'byte-order-mark': warning(),
    'empty-file': warning(),
    'yaml-syntax': error(),
    'yaml-tab': error(),
    'duplicate-key': error(),
    'alias-bomb': error(),
    'missing-section': error(),
    'defined-twice': error(),
    'unknown-key': ofKey(error()),
    schema: error(),
    'unknown-choice': error(),
    'bad-name': error(),
    'bad-duration': error(),
    'bad-fingerprint': error(),
    'bad-title': error(),
    'empty-list': error(),
    'secret-literal': error(),
    'spelling-impossible': error(),
    'dollar-forgotten': error(),
    'invisible-character': error(),
    'look-alike-letter': error(),
    'typographic-quote': error(),
    'text-cut-by-comment': warning(),
  },
  addresses: {
    'bad-route': error(),
    'route-shadowed': error(),
    'route-repeated': warning('operations.=.routes'),
    'route-not-normal': warning(),
    'route-in-capitals': warning(),
    'route-inside-v1': error(),
    'format-shadows-route': error(),
    'parameter-repeated': error(),
    'unknown-parameter': error('operations.=.fields!', ...KIND),
  },
  fields: {
    'spelling-shared': error(),
    'spelling-repeated': warning(),
    'spelling-untrimmed': warning(),
    'ignored-and-read': error(),
    'request-id-is-field': error('request_id', ...KIND),
    'request-id-decides': error(),
    'reserved-name': ofKey(error()),
    'name-clash': error(),
    'unknown-field': error('operations.=.fields!'),
    'required-with-default': ofKey(error()),
    'try-values-misplaced': ofKey(error()),
    'required-and-lenient': ofKey(error()),
    'bad-default': error(...FIELDS),
    'bad-bound': error(),
    'min-over-max': error(),
    'bound-on-text': ofKey(error(...FIELDS)),
    'length-on-number': ofKey(error(...FIELDS)),
  },
  calls: {
    'missing-call': error(...KIND),
    'unknown-endpoint': error(),
    'purchase-without-purchase': error(...KIND),
    'read-that-buys': error(...KIND),
    'receipt-outside-status': error(...KIND),
    'unknown-v1-field': ofKey(error()),
    'missing-v1-field': error(CALL),
    'reserved-v1-field': ofKey(error()),
    'v1-type-mismatch': error(...FIELDS),
    'v1-field-not-required': error(...FIELDS),
    'constant-recipient': error(),
    'value-without-id': error(...FIELDS, 'tables.*.values.*.id'),
    'lookup-key-on-purchase': ofKey(error(...KIND)),
    'lookup-key-shows-operator': ofKey(error(...KIND)),
    'key-in-outside-login': ofKey(error()),
    'undecided-moves-money': ofKey(error(...KIND)),
    'guard-cannot-tell': error(...FIELDS, 'tables.*.values.*.prefixes'),
    'purchase-without-guard': ofKey(
      error(...FIELDS, ...['operations.=.numbering_guard', 'formats!', 'formats.*.numbers', ...KIND]),
    ),
    'status-without-id': ofKey(error(...FIELDS, ...KIND)),
    'join-unused': ofKey(warning()),
    'operation-without-route': ofKey(error('operations.=.routes', 'formats!', 'formats.*.operations.=.routes')),
    'v1-field-misfed': error(...FIELDS),
    'constant-in-call': error(...FIELDS),
    'format-number-sent': error(),
    'v1-field-unsent': ofKey(error(...FIELDS, CALL)),
    'value-not-of-v1': error(...TABLES),
    'default-buys': ofKey(error()),
    'lenient-buys': ofKey(error()),
    'bound-not-positive': error(),
    'recipient-is-contact': error(),
    'spelling-says-otherwise': error(),
    'lookup-by-another': error(...FIELDS),
    'request-id-repeats': error(),
    'purchase-by-get': error(),
    'proof-of-unread-field': error('operations', 'formats', 'request_id'),
    'patience-too-short': error(),
    'try-too-short': error(),
    'kind-takes-everybody': error(),
  },
  values: {
    'bad-expression': error(),
    'unknown-source': error('operations.=.fields!', 'operations.=.join!'),
    'source-not-available': error(...SOURCES),
    'unknown-path': error(...SOURCES, ...FIELDS),
    'unknown-list': error(),
    'unknown-column': error('operations.=.join', ...SOURCES),
    'unknown-row': error('rows!'),
    'each-over-no-list': error(...SOURCES, ...FIELDS),
    'unknown-transform': error('tables!'),
    'transform-without-table': error(...FIELDS),
    'transform-of-wrong-kind': error(...SOURCES, ...FIELDS),
    'amount-in-kobo': error(...SOURCES, ...FIELDS),
    'bad-first': error(),
    'bad-when': error(),
    'condition-never-holds': error(...SOURCES, ...FIELDS),
    'bad-where': error(),
    'bad-join': error('operations.=.join'),
  },
  replies: {
    'missing-reply': error(...REPLIES),
    'outcome-without-reply': ofKey(error(...REPLIES)),
    'outcome-without-words': error(...REPLIES),
    'unknown-block': error('blocks!'),
    'block-cycle': error(),
    'unused-block': ofKey(warning()),
    'unused-row': ofKey(warning()),
    'unknown-reply-field': error(
      ...['operations.*', 'formats.*', 'families.*'].flatMap((teller) => [`${teller}.reply`, `${teller}.operations.*.reply`]),
      'blocks',
    ),
    'error-outside-failure': ofKey(error(...REPLIES)),
    'error-no-list': error(...REPLIES, ...FIELDS, ...SOURCES),
    'pending-tells-success': ofKey(error(...REPLIES)),
    'failure-tells-success': error(...REPLIES),
    'message-no-text': error(...REPLIES, ...FIELDS, ...SOURCES),
    'text-says-balance': warning(),
    'text-missing': ofKey(warning('texts')),
    'text-unknown': ofKey(warning()),
    'text-empty': error(),
    'failure-word-misread': error(),
    'pending-word-misread': error(),
    'success-word-misread': error(),
    'text-of-other-outcome': error(),
    'outcome-http': error(),
    'unread-missing': ofKey(warning('words')),
    'refusal-without-error': ofKey(error(...REPLIES)),
    'goods-not-told': ofKey(error(...REPLIES, CALL)),
    'echo-not-told': ofKey(error(...REPLIES)),
    'name-says-otherwise': error(),
    'list-under-another-name': error(),
    'word-not-exact': error(),
  },
  formats: {
    'unknown-format': error('formats!'),
    'unknown-family': error('families!'),
    'family-of-other-format': error('families'),
    'family-numbers-unsaid': warning(),
    'family-like-another': warning(),
    'family-takes-everybody': error(...SIGNALS_OF_FAMILY),
    'family-pending-unsaid': ofKey(warning('operations!', 'operations.*.kind', 'operations.*.call')),
    'unknown-operation': ofKey(error('operations!')),
    'format-unprovable': error('formats.~.proof', 'formats.~.login', 'formats.~.operations'),
    'empty-signal': error(...SIGNALS),
    'numbers-of-table': ofKey(error()),
    'half-signal': error(...SIGNALS),
    'signal-repeated': warning(...SIGNALS),
    'signal-contradiction': error(...SIGNALS),
    'signal-never-applies': error('operations', 'formats'),
    'login-shared': ofKey(error()),
  },
  tables: {
    'unknown-table': ofKey(error('tables!')),
    'unused-table': ofKey(warning()),
    'table-reads-nothing': ofKey(error('tables.~')),
    'unknown-value': error(...TABLES),
    'number-repeated': ofKey(error()),
    'numbering-not-one-to-one': error(),
    'numbering-incomplete': ofKey(warning(...TABLES, 'formats.~.numbers')),
    'numbering-identical': warning('formats.*.numbers', 'other_numberings'),
    'word-shared': error(),
    'empty-word': error(),
    'word-is-number': error(),
    'id-shared': error(),
    'prefix-shared': error(),
    'prefix-malformed': error(),
  },
  callers: {
    'no-default-kind': error('callers'),
    'second-default-kind': ofKey(error('callers')),
    'unknown-caller-kind': ofKey(error('callers.kinds!')),
    'kind-unreachable': error(),
    'patience-too-long': warning('callers.kinds'),
    'patience-beyond-pursuit': warning('timing'),
    'patience-without-order': ofKey(warning('operations!', 'operations.*.kind', 'operations.*.call')),
    'after-pending-without-order': ofKey(warning('operations!', 'operations.*.kind', 'operations.*.call')),
    'title-repeated': error(),
    'own-numbers-empty': ofKey(warning('callers.keys.~.numbers', 'callers.keys.~.unlisted')),
    'own-number-twin': warning(...TABLES),
    'unlisted-without-numbers': ofKey(error('callers.keys.~.numbers')),
    'shape-without-list': ofKey(error('callers.keys.~.lists')),
    'shape-of-no-list': ofKey(error('operations!', 'operations.*.kind', 'operations.*.call')),
    'duration-zero': error(),
    'duration-huge': warning(),
    'quiet-too-short': warning('timing'),
    'replay-too-short': error(),
    'timing-too-long': error(),
    'after-pending-against-family': warning('families', 'operations!'),
  },
} as const;

export const RULES = {
  ...RULES_BY_PAGE.files,
  ...RULES_BY_PAGE.addresses,
  ...RULES_BY_PAGE.fields,
  ...RULES_BY_PAGE.calls,
  ...RULES_BY_PAGE.values,
  ...RULES_BY_PAGE.replies,
  ...RULES_BY_PAGE.formats,
  ...RULES_BY_PAGE.tables,
  ...RULES_BY_PAGE.callers,
} as const;

export type RuleId = keyof typeof RULES;
