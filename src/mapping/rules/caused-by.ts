/**
 * Which problems may only be there because something else is wrong. A rule that misses something, or compares with
 * something, says nothing while there is a hole where that would stand; a rule that judges what is written always speaks.
 */
import { startsWith, type Hole } from '../read-rest';
import type { YamlPath } from '../read-yaml';
import type { Report } from '../source';
import type { RuleId } from './rules';

/**
 * Where a rule looks besides the place of its problem. `*` is any name, `=` the operation of the problem, and `~` the step
 * that stands there in the problem's own path. A place that ends in `!` is a list of names: only a name that is gone, or
 * all of them, can mislead.
 */
const KIND = 'operations.=.kind';
const TABLES = ['tables!', 'tables.*.values!', 'tables.*.catalog', 'tables.*.unlisted', 'tables.*.numbers'];
const FIELDS = ['operations.=.fields', ...TABLES];
const REPLIES = [
  'operations.=.reply',
  ...['formats', 'families'].flatMap((teller) => [`${teller}.*.reply`, `${teller}.*.operations.=.reply`]),
  'blocks',
  KIND,
];
const CALL = 'operations.=.call';
/** What stands in a block depends on every operation that includes it. */
const SOURCES = ['operations.=.kind', 'operations.=.catalog', CALL, 'operations.=.join'];
const SIGNALS = ['formats.~.proof.~'];

const LOOKS_AT: Readonly<Partial<Record<RuleId, readonly string[]>>> = {
  'missing-call': [CALL, KIND],
  'goods-not-told': [...REPLIES, CALL],
  'echo-not-told': REPLIES,
  'v1-field-unsent': [...FIELDS, CALL],
  'v1-field-misfed': FIELDS,
  'constant-in-call': FIELDS,
  'lookup-by-another': FIELDS,
  'value-not-of-v1': TABLES,
  'proof-of-unread-field': ['operations', 'formats', 'request_id'],
  'purchase-without-purchase': [CALL, KIND],
  'read-that-buys': [CALL, KIND],
  'missing-v1-field': [CALL],
  'v1-type-mismatch': FIELDS,
  'v1-field-not-required': FIELDS,
  'value-without-id': [...FIELDS, 'tables.*.values.*.id'],
  'lookup-key-on-purchase': [KIND],
  'lookup-key-shows-operator': [KIND],
  'undecided-moves-money': [KIND],
  'guard-cannot-tell': [...FIELDS, 'tables.*.values.*.prefixes'],
  'purchase-without-guard': [...FIELDS, ...['operations.=.numbering_guard', 'formats!', 'formats.*.numbers', CALL, KIND]],
  'status-without-id': [...FIELDS, KIND],
  'operation-without-route': ['operations.=.routes', 'formats!', 'formats.*.operations.=.routes'],
  'no-default-kind': ['callers'],
  'second-default-kind': ['callers'],
  'unknown-caller-kind': ['callers.kinds!'],
  'patience-too-long': ['callers.kinds'],
  'patience-beyond-pursuit': ['timing'],
  'patience-without-order': ['operations!', 'operations.*.kind'],
  'after-pending-without-order': ['operations!', 'operations.*.kind'],
  'own-numbers-empty': ['callers.keys.~.numbers', 'callers.keys.~.unlisted'],
  'own-number-twin': TABLES,
  'unlisted-without-numbers': ['callers.keys.~.numbers'],
  'shape-without-list': ['callers.keys.~.lists'],
  'shape-of-no-list': ['operations!', 'operations.*.kind'],
  'quiet-too-short': ['timing'],
  'request-id-is-field': ['request_id', KIND],
  'unknown-field': ['operations.=.fields!'],
  'bad-default': FIELDS,
  'bound-on-text': FIELDS,
  'length-on-number': FIELDS,
  'unknown-format': ['formats!'],
  'unknown-family': ['families!'],
  'family-of-other-format': ['families'],
  'unknown-operation': ['operations!'],
  'format-unprovable': ['formats.~.proof', 'formats.~.login', 'formats.~.operations'],
  'empty-signal': SIGNALS,
  'half-signal': SIGNALS,
  'signal-repeated': SIGNALS,
  'signal-contradiction': SIGNALS,
  'signal-never-applies': ['operations', 'formats'],
  'missing-reply': REPLIES,
  'outcome-without-reply': REPLIES,
  'outcome-without-words': REPLIES,
  'unknown-block': ['blocks!'],
  'error-outside-failure': REPLIES,
  'error-no-list': [...REPLIES, ...FIELDS, ...SOURCES],
  'pending-tells-success': REPLIES,
  'failure-tells-success': REPLIES,
  'message-no-text': [...REPLIES, ...FIELDS, ...SOURCES],
  'text-missing': ['texts'],
  'unknown-parameter': ['operations.=.fields!', KIND],
  'route-repeated': ['operations.=.routes'],
  'unknown-table': ['tables!'],
  'table-reads-nothing': ['tables.~'],
  'unknown-value': TABLES,
  'numbering-incomplete': [...TABLES, 'formats.~.numbers'],
  'numbering-identical': ['formats.*.numbers', 'other_numberings'],
  'bad-join': ['operations.=.join'],
  'unknown-source': ['operations.=.fields!', 'operations.=.join!'],
  'source-not-available': SOURCES,
  'unknown-path': [...SOURCES, ...FIELDS],
  'unknown-column': ['operations.=.join', ...SOURCES],
  'unknown-row': ['rows!'],
  'each-over-no-list': [...SOURCES, ...FIELDS],
  'unknown-transform': ['tables!'],
  'transform-without-table': FIELDS,
  'transform-of-wrong-kind': [...SOURCES, ...FIELDS],
  'amount-in-kobo': [...SOURCES, ...FIELDS],
  'condition-never-holds': [...SOURCES, ...FIELDS],
};

/** Reports the problems that stay, whatever the unreadable places turn out to be. */
export function reportApartFrom(holes: readonly Hole[], report: Report): Report {
  if (holes.length === 0) return report;
  return (path, code, ...rest) => {
    if (!mayBeCausedBy(holes, path, code)) report(path, code, ...rest);
  };
}

function mayBeCausedBy(holes: readonly Hole[], path: YamlPath, code: RuleId): boolean {
  if (holes.some((hole) => hole.kind === 'guess' && startsWith(path, hole.path))) return true;
  const places = LOOKS_AT[code];
  if (places === undefined) return false;
  const operation = operationOf(path);
  return places.some((place) => {
    const isOfNames = place.endsWith('!');
    const steps = (isOfNames ? place.slice(0, -1) : place).split('.').map((step, depth) => {
      if (step === '=') return operation;
      return step === '~' ? String(path[depth] ?? '*') : step;
    });
    return holes.some((hole) => (isOfNames ? hidesNames(hole, steps) : meets(hole.path, steps)));
  });
}

/** `*` where the problem stands in no operation: then every one may be to blame. */
function operationOf([section, name, part, operation]: YamlPath): string {
  if (section === 'operations' && name !== undefined) return String(name);
  return (section === 'formats' || section === 'families') && part === 'operations' && operation !== undefined
    ? String(operation)
    : '*';
}

function hidesNames({ path, kind }: Hole, steps: readonly string[]): boolean {
  if (path.length > steps.length + 1 || !meets(path, steps)) return false;
  return path.length <= steps.length || kind === 'gone';
}

/** One of the two stands inside the other, or they are the same place. */
function meets(path: YamlPath, steps: readonly string[]): boolean {
  const length = Math.min(path.length, steps.length);
  return steps.slice(0, length).every((step, depth) => step === '*' || step === String(path[depth]));
}
