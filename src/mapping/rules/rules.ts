/**
 * Every rule of `compat-gateway check`: its severity, and the places on which it depends. A problem of a mapping has one of these
 * ids. docs/rules has the text of each rule below a heading of its id, with an example that the tests run.
 */
import type { Problem } from '../problem';

export interface Rule {
  readonly severity: Problem['severity'];
  /** Places on which the rule depends besides that of its problem. `check.ts` drops the problem if one of them is a hole. */
  readonly looksAt: readonly string[];
}

const error = (...looksAt: string[]): Rule => ({ severity: 'error', looksAt });
const warning = (...looksAt: string[]): Rule => ({ severity: 'warning', looksAt });

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
    'unknown-key': error(),
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
    'reserved-name': error(),
    'name-clash': error(),
    'unknown-field': error('operations.=.fields!'),
    'required-with-default': error(),
    'try-values-misplaced': error(),
    'required-and-lenient': error(),
    'bad-default': error(...FIELDS),
    'bad-bound': error(),
    'min-over-max': error(),
    'bound-on-text': error(...FIELDS),
    'length-on-number': error(...FIELDS),
  },
  calls: {
    'missing-call': error(...KIND),
    'unknown-endpoint': error(),
    'purchase-without-purchase': error(...KIND),
    'read-that-buys': error(...KIND),
    'receipt-outside-status': error(...KIND),
    'unknown-v1-field': error(),
    'missing-v1-field': error(CALL),
    'reserved-v1-field': error(),
    'v1-type-mismatch': error(...FIELDS),
    'v1-field-not-required': error(...FIELDS),
    'constant-recipient': error(),
    'value-without-id': error(...FIELDS, 'tables.*.values.*.id'),
    'lookup-key-on-purchase': error(...KIND),
    'lookup-key-shows-operator': error(...KIND),
    'key-in-outside-login': error(),
    'undecided-moves-money': error(...KIND),
    'guard-cannot-tell': error(...FIELDS, 'tables.*.values.*.prefixes'),
    'purchase-without-guard': error(...FIELDS, ...['operations.=.numbering_guard', 'formats!', 'formats.*.numbers', ...KIND]),
    'status-without-id': error(...FIELDS, ...KIND),
    'join-unused': warning(),
    'operation-without-route': error('operations.=.routes', 'formats!', 'formats.*.operations.=.routes'),
    'v1-field-misfed': error(...FIELDS),
    'constant-in-call': error(...FIELDS),
    'format-number-sent': error(),
    'v1-field-unsent': error(...FIELDS, CALL),
    'value-not-of-v1': error(...TABLES),
    'default-buys': error(),
    'lenient-buys': error(),
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
    'outcome-without-reply': error(...REPLIES),
    'outcome-without-words': error(...REPLIES),
    'unknown-block': error('blocks!'),
    'block-cycle': error(),
    'unused-block': warning(),
    'unused-row': warning(),
    'error-outside-failure': error(...REPLIES),
    'error-no-list': error(...REPLIES, ...FIELDS, ...SOURCES),
    'pending-tells-success': error(...REPLIES),
    'failure-tells-success': error(...REPLIES),
    'message-no-text': error(...REPLIES, ...FIELDS, ...SOURCES),
    'text-says-balance': warning(),
    'text-missing': warning('texts'),
    'text-unknown': warning(),
    'text-empty': error(),
    'failure-word-misread': error(),
    'pending-word-misread': error(),
    'success-word-misread': error(),
    'text-of-other-outcome': error(),
    'outcome-http': error(),
    'unread-missing': warning('words'),
    'refusal-without-error': error('blocks'),
    'goods-not-told': error(...REPLIES, CALL),
    'echo-not-told': error(...REPLIES),
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
    'family-pending-unsaid': warning('operations!', 'operations.*.kind', 'operations.*.call'),
    'unknown-operation': error('operations!'),
    'format-unprovable': error('formats.~.proof', 'formats.~.login', 'formats.~.operations'),
    'empty-signal': error(...SIGNALS),
    'numbers-of-table': error(),
    'half-signal': error(...SIGNALS),
    'signal-repeated': warning(...SIGNALS),
    'signal-contradiction': error(...SIGNALS),
    'signal-never-applies': error('operations', 'formats'),
    'login-shared': error(),
  },
  tables: {
    'unknown-table': error('tables!'),
    'unused-table': warning(),
    'table-reads-nothing': error('tables.~'),
    'unknown-value': error(...TABLES),
    'number-repeated': error(),
    'numbering-not-one-to-one': error(),
    'numbering-incomplete': warning(...TABLES, 'formats.~.numbers'),
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
    'second-default-kind': error('callers'),
    'unknown-caller-kind': error('callers.kinds!'),
    'kind-unreachable': error(),
    'patience-too-long': warning('callers.kinds'),
    'patience-beyond-pursuit': warning('timing'),
    'patience-without-order': warning('operations!', 'operations.*.kind', 'operations.*.call'),
    'after-pending-without-order': warning('operations!', 'operations.*.kind', 'operations.*.call'),
    'title-repeated': error(),
    'own-numbers-empty': warning('callers.keys.~.numbers', 'callers.keys.~.unlisted'),
    'own-number-twin': warning(...TABLES),
    'unlisted-without-numbers': error('callers.keys.~.numbers'),
    'shape-without-list': error('callers.keys.~.lists'),
    'shape-of-no-list': error('operations!', 'operations.*.kind', 'operations.*.call'),
    'duration-zero': error(),
    'duration-huge': warning(),
    'quiet-too-short': warning('timing'),
    'replay-too-short': error(),
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

/** The rule of a code; undefined for codes of other files, such as the sandbox's. */
export function ruleOf(code: string): Rule | undefined {
  return Object.hasOwn(RULES, code) ? RULES[code as RuleId] : undefined;
}
