/** The compiled mapping that the walk uses. `compile.ts` makes one per load; a request ends with the mapping that it began with. */
import type { AmountMinor } from '../domain/amount';
import type { JsonObject, JsonValue } from '../domain/json';
import type { LegacyHeaders, LegacyValue } from '../domain/legacy';
import type { Read } from './input-transforms';
import type { OwnNumbers, ShownColumn } from './numbering';
import type { YamlPath } from './read-yaml';
import type { AfterPending, OPERATION_KINDS, OutcomeWords, TakesPending, Timing, ValueSource } from './language/schema';
import type { Signal } from './signals';
import type { Numbering, Table } from './table';

export type { AfterPending };
export type OperationKind = (typeof OPERATION_KINDS)[number];
export const OUTCOMES = ['success', 'pending', 'failure'] as const;
export type ReplyOutcome = (typeof OUTCOMES)[number];

export interface Field {
  readonly name: string;
  /** The name of the transform or table that reads the field. */
  readonly as: string;
  readonly from: readonly string[];
  readonly otherwise: readonly string[];
  /** For a field without a table, by format: the value that each number means. */
  readonly numbers: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** Set if a table reads the field; the meaning of a number then depends on the format's numbering. */
  readonly table: Table | undefined;
  /** Reads a value by the transform; not for a field with a table. */
  readonly read: (raw: LegacyValue) => Read;
  readonly takesEmpty: boolean;
  readonly isAmount: boolean;
  readonly isRequired: boolean;
  readonly isLenient: boolean;
  /** Whether v1 receives this field: the meaning of its number must then be certain. */
  readonly isSent: boolean;
  readonly fallback: JsonValue | undefined;
  /** Bounds; kobo for amounts. */
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly lengthMax: number | undefined;
  /** The values with which a lookup asks v1 one after another if the field is absent. */
  readonly tryValues: readonly JsonValue[];
  readonly requiredIf: RequiredIf | undefined;
}

/** The condition under which a request without the field is refused, even if the field has a default. */
export interface RequiredIf {
  /** Undefined for every address. */
  readonly path: string | undefined;
  readonly sentEmpty: string;
  readonly why: string;
}

/** The values that an expression can refer to. The root of each expression is a field, a join, or a key of `roots`. */
export interface Scope {
  readonly fields: Readonly<Record<string, JsonValue | undefined>>;
  readonly joins: Readonly<Record<string, JsonValue | undefined>>;
  readonly roots: Readonly<Record<string, JsonValue | undefined>>;
  /** Of a reply: the format whose numbers `numberOf` gives. */
  readonly format?: string;
  /** The script's number for a value of a table. `field` is the field of the request that had the value, if one had. */
  readonly numberOf: (table: string, value: JsonValue, field?: string) => number | undefined;
  /** A row of a catalog list with the script's own numbers; undefined if the script has no number for the row's id. */
  readonly rowOf?: (list: string, row: JsonObject) => JsonObject | undefined;
}

export interface Join {
  readonly name: string;
  readonly list: string;
  readonly key: string;
  readonly value: (scope: Scope) => JsonValue | undefined;
}

/** Makes the body of a reply; an array for a bare list. */
export interface ReplyBuilder {
  (scope: Scope): JsonObject | readonly JsonValue[];
  /** The same body as JSON text; undefined if the object has to be serialised instead. */
  readonly text: (scope: Scope) => string | undefined;
  /** The source of each field for `explain`, in the order of the reply. */
  readonly sources: readonly ReplyFieldSource[];
}

export interface ReplyFieldSource {
  /** The reply's field; empty for a bare list. */
  readonly field: string;
  /** As written in the file: `$order.charged | naira`. */
  readonly value: ValueSource;
  /** A path in the merged source, as `placeOf` takes it. */
  readonly path: readonly PropertyKey[];
}
export type Replies = Readonly<Record<ReplyOutcome, ReplyBuilder>>;

export interface CallTemplate {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly send: (scope: Scope) => JsonObject;
}

export interface Operation {
  readonly name: string;
  readonly title: string;
  readonly kind: OperationKind;
  readonly fields: readonly Field[];
  /** The names of fields with a meter or smartcard number. */
  readonly identifiers: readonly string[];
  /** The names of the fields that say what is bought for which number; empty for an operation that buys for no number (PINs, messages). */
  readonly essentials: readonly string[];
  /** Every spelling that the operation reads, or ignores on purpose. Any other field of a request is unknown. */
  readonly known: ReadonlySet<string>;
  readonly call: CallTemplate | undefined;
  readonly joins: readonly Join[];
  /** Words of v1's category of such an order, from all operations with the same v1 call. */
  readonly categories: readonly string[];
  readonly wantsCatalog: boolean;
  readonly withoutKey: boolean;
  /** The fields of the body with the key and the PIN, for a login without an Authorization header. */
  readonly keyIn: { readonly key: string; readonly pin: string } | undefined;
  readonly undecided: string | undefined;
  /** Formats whose scripts may come to the addresses that all formats share. */
  readonly sharedBy: ReadonlySet<string>;
  readonly guard: { readonly number: Field; readonly phone: Field; readonly ported: Field | undefined } | undefined;
  readonly patienceMs: Readonly<Record<string, number>>;
  /** The value of the operation itself; `afterPendingOf` decides. */
  readonly afterPending: AfterPending | undefined;
  /** What the script does with an order once it has heard "pending"; set if its family says so. */
  readonly takesPending?: TakesPending;
  /** The value of each format for this operation, or for all its operations. */
  readonly afterPendingByFormat: ReadonlyMap<string, AfterPending>;
  /** By format. */
  readonly replies: ReadonlyMap<string, Replies>;
}

export interface Format {
  readonly id: string;
  readonly title: string;
  readonly hasLogin: boolean;
  /** Whether the numbering guard of other formats considers this format's numbers. */
  readonly explainsNumbers: boolean;
  /** Advice for the script's owner, if the numbering guard refuses a number that has a meaning in this format. */
  readonly cure: string | undefined;
  readonly signals: readonly Signal[];
  readonly numberings: ReadonlyMap<string, Numbering>;
  /** By catalog list: its columns that are shown in the numbers of the format. */
  readonly columns: ReadonlyMap<string, readonly ShownColumn[]>;
}

/** Scripts of one origin, with replies of their own. */
export interface Family {
  readonly id: string;
  readonly title: string;
  /** The format of its requests. */
  readonly format: string;
  readonly signals: readonly Signal[];
  /** The mapping of its scripts. It buys the same as the shared mapping. */
  readonly mapping: () => Mapping;
}

export interface CallerKind {
  readonly name: string;
  readonly patienceMs: number;
  readonly afterPending: AfterPending | undefined;
}

/** The entry of one script in callers.yaml. */
export interface CallerKey {
  readonly fingerprint: string;
  /** The name for people. */
  readonly title: string | undefined;
  readonly note: string | undefined;
  readonly contact: string | undefined;
  /** The text of the refusal of its purchases; undefined while it may sell. */
  readonly pausedText: string | undefined;
  readonly limit: { readonly purchasesPerMinute: number; readonly nairaPerDay: AmountMinor | undefined } | undefined;
  /** Whether its calls go to the embedded sandbox, under the fingerprint that `sandboxScopeOf` gives. */
  readonly isSandboxed: boolean;
  /** In the entry for the sandbox orders of a key: the fingerprint of the key itself. */
  readonly sandboxOf: string | undefined;
  readonly walletBelow: AmountMinor | undefined;
  readonly format: string | undefined;
  readonly family: string | undefined;
  readonly hasGuard: boolean;
  /** By table: the script's own numbers. */
  readonly numbers: ReadonlyMap<string, OwnNumbers>;
  /** By catalog list: its columns that are shown in the script's own numbers. */
  readonly columns: ReadonlyMap<string, readonly ShownColumn[]>;
  /** By operation, and `default` for every bare array. */
  readonly lists: ReadonlyMap<string, ListShape>;
  /** Milliseconds; undefined when the kind of caller decides. */
  readonly patienceOf: (operation: string) => number | undefined;
  readonly afterPendingOf: (operation: string) => AfterPending | undefined;
  /** For how many ms a success is told again to a repeat; Infinity for ever, undefined when `timing` decides. */
  readonly replayMs: number | undefined;
}

/** The shape of a list for one script, such as an object around it. */
export interface ListShape {
  readonly build: (list: JsonObject | readonly JsonValue[], scope: Scope) => JsonObject | readonly JsonValue[];
  readonly sources: readonly ReplyFieldSource[];
}

interface CallLimit {
  readonly calls: number;
  readonly windowMs: number;
}

/** How often lookups without a key are served with the operator's key, and before that with a key that sold from the same address. */
export interface LookupLimits extends CallLimit {
  /** How many calls v1 allows the operator's key in the window; infinite if the mapping has no `total`. */
  readonly total: number;
  /** How many calls of `total` are reserved for the owner of that key. */
  readonly owner: number;
  /** For how many ms a found name is told again to the same address without a call. */
  readonly rememberMs: number;
  readonly seller: (CallLimit & { readonly withinMs: number }) | undefined;
}

export interface OtherNumbering {
  readonly title: string;
  /** The name of the table. */
  readonly table: string;
  readonly numbering: Numbering;
  /** Whether a number that only such numberings explain is sold with their meaning, if the phone is not ported. */
  readonly sellsUnported: boolean;
  readonly path: YamlPath;
}

export interface Route {
  readonly methods: readonly string[];
  /** With the names of parameters: `/api/transaction/:id`. */
  readonly path: string;
  readonly operation: string;
  /** Set when only one format has this address. */
  readonly format: string | undefined;
}

export interface Mapping {
  readonly hash: string;
  readonly formats: ReadonlyMap<string, Format>;
  readonly families: ReadonlyMap<string, Family>;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly tables: ReadonlyMap<string, Table>;
  readonly routes: readonly Route[];
  readonly otherNumberings: readonly OtherNumbering[];
  readonly requestIdSpellings: readonly string[];
  /** Headers that may have a request id. */
  readonly requestIdHeaders: readonly string[];
  readonly words: Readonly<Record<ReplyOutcome, OutcomeWords>> & {
    /** Of a refusal while it cannot be read whether the order was sold before; without them it has the words of a failure. */
    readonly unread?: Pick<OutcomeWords, 'status' | 'Status'> | undefined;
  };
  /** Set for a family, which may recognise sales by words and an HTTP status of its own. Only sales get these: no list, no lookup and no failure. */
  readonly saleWords?: OutcomeWords;
  /** Set for a family that recognises failures by one HTTP status. Refusals and rejections get this status too. */
  readonly failureHttp?: number;
  readonly texts: Readonly<Record<string, string>>;
  readonly timing: Timing;
  /** For how many ms a success is told again to a repeat. */
  readonly replayMs: number;
  /** For how many ms a request without an id may repeat an order; the same in every family. */
  readonly repeatMs: number;
  readonly lookupKey: LookupLimits;
  readonly callerKeys: ReadonlyMap<string, CallerKey>;
  /** File, line and column of a path of the merged source. */
  placeOf(path: readonly PropertyKey[]): { readonly file: string; readonly line: number; readonly column: number };
  /** Makes the body of a refusal. */
  readonly refusal: ReplyBuilder;
  readonly matchRoute: MatchRoute;
  callerKindOf(headers: LegacyHeaders): CallerKind;
  /** The meaning of a table's numbers in a format. */
  numberingOf(format: string, table: Table): Numbering;
}

export type RouteMatch =
  | {
      readonly kind: 'matched';
      readonly operation: Operation;
      readonly route: Route;
      /** The fields in the path. */
      readonly parameters: Readonly<Record<string, string>>;
      /** Every order id that the end of a status address may mean, likeliest first; empty at other addresses. */
      readonly readings: readonly string[];
      /** The only possible format at this address: it has a prefix such as `/b/…`, or only one format has the route. */
      readonly pinnedFormat: string | undefined;
    }
  | { readonly kind: 'wrong_method'; readonly allowed: readonly string[] }
  | { readonly kind: 'unknown_path' };

export type MatchRoute = (method: string, path: string, rawPath?: string) => RouteMatch;
