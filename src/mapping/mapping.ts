/** A compiled mapping: what the walk uses. Made once per load by `compile.ts`; requests finish on the one they began with. */
import type { AmountMinor } from '../domain/amount';
import type { JsonObject, JsonValue } from '../domain/json';
import type { LegacyHeaders, LegacyValue } from '../domain/legacy';
import type { Read } from './input-transforms';
import type { OwnNumbers } from './numbering';
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
  /** The transform or table that reads it. */
  readonly as: string;
  readonly from: readonly string[];
  readonly otherwise: readonly string[];
  /** By format: what a number stands for, of a field without a table. */
  readonly numbers: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** Set when the field is read through a table; then the format's numbering matters. */
  readonly table: Table | undefined;
  /** Reads a value without a table. */
  readonly read: (raw: LegacyValue) => Read;
  readonly takesEmpty: boolean;
  readonly isAmount: boolean;
  readonly isRequired: boolean;
  readonly isLenient: boolean;
  /** True when v1 gets to see this field: then its number must be certain. */
  readonly isSent: boolean;
  readonly fallback: JsonValue | undefined;
  /** Bounds; kobo for amounts. */
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly lengthMax: number | undefined;
  /** What a lookup asks v1 with, one after the other, while the field is absent. */
  readonly tryValues: readonly JsonValue[];
  readonly requiredIf: RequiredIf | undefined;
}

/** A request that is refused without the field although it has a default. */
export interface RequiredIf {
  /** Undefined for every address. */
  readonly path: string | undefined;
  readonly sentEmpty: string;
  readonly why: string;
}

/** What a value can be made from. Every root of an expression is one key here, or a field, or a join. */
export interface Scope {
  readonly fields: Readonly<Record<string, JsonValue | undefined>>;
  readonly joins: Readonly<Record<string, JsonValue | undefined>>;
  readonly roots: Readonly<Record<string, JsonValue | undefined>>;
  /** The number by which the script knows a value of a table; `field` is the one it came in by. */
  readonly numberOf: (table: string, value: JsonValue, field?: string) => number | undefined;
  /** A row of a list of the catalog with the script's own numbers; undefined when it is not for this script. */
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
  /** The same body as JSON text; undefined where only the object tells. */
  readonly text: (scope: Scope) => string | undefined;
  /** Where each field comes from, for `explain`: in the order of the reply. */
  readonly sources: readonly ReplyFieldSource[];
}

export interface ReplyFieldSource {
  /** The reply's field; empty for a bare list. */
  readonly field: string;
  /** As it stands in the file: `$order.charged | naira`. */
  readonly value: ValueSource;
  /** Of the merged source: what `placeOf` takes. */
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
  /** Which of them hold a meter or smartcard number. */
  readonly identifiers: readonly string[];
  /** Every spelling that means something here, also the ignored ones: all else is unknown. */
  readonly known: ReadonlySet<string>;
  readonly call: CallTemplate | undefined;
  readonly joins: readonly Join[];
  /** Words that v1's category of such an order holds, of all operations that buy the same. */
  readonly categories: readonly string[];
  readonly wantsCatalog: boolean;
  readonly withoutKey: boolean;
  /** The body's fields that hold key and PIN, for a login that sends no header. */
  readonly keyIn: { readonly key: string; readonly pin: string } | undefined;
  readonly undecided: string | undefined;
  /** Formats whose scripts may come to an address that all share. */
  readonly sharedBy: ReadonlySet<string>;
  readonly guard: { readonly number: Field; readonly phone: Field; readonly ported: Field | undefined } | undefined;
  readonly patienceMs: Readonly<Record<string, number>>;
  /** What the operation itself says; `afterPendingOf` decides. */
  readonly afterPending: AfterPending | undefined;
  /** What the script does with an order that it hears is pending, where its family says so. */
  readonly takesPending?: TakesPending;
  /** What a format says of the operation, or of all its operations. */
  readonly afterPendingByFormat: ReadonlyMap<string, AfterPending>;
  /** By format. */
  readonly replies: ReadonlyMap<string, Replies>;
}

export interface Format {
  readonly id: string;
  readonly title: string;
  readonly hasLogin: boolean;
  /** False when the numbering guard of other formats does not look at this format's numbers. */
  readonly explainsNumbers: boolean;
  /** What the owner of such a script can do when the numbering guard refuses a number that makes sense in this format. */
  readonly cure: string | undefined;
  readonly signals: readonly Signal[];
  readonly numberings: ReadonlyMap<string, Numbering>;
}

/** Scripts of one origin, which are told in words of their own. */
export interface Family {
  readonly id: string;
  readonly title: string;
  /** The format of its requests. */
  readonly format: string;
  readonly signals: readonly Signal[];
  /** By table: what its scripts mean by a number where the format means something else. Nothing is bought by it. */
  readonly numbers: ReadonlyMap<string, Numbering>;
  /** The mapping as its scripts meet it: what is bought is the same as for everybody else. */
  readonly mapping: () => Mapping;
}

export interface CallerKind {
  readonly name: string;
  readonly patienceMs: number;
  readonly afterPending: AfterPending | undefined;
}

/** What callers.yaml says of one script. */
export interface CallerKey {
  readonly fingerprint: string;
  /** What people call it. */
  readonly title: string | undefined;
  readonly note: string | undefined;
  readonly contact: string | undefined;
  /** What its purchases are refused with; undefined while it may sell. */
  readonly pausedText: string | undefined;
  readonly limit: { readonly purchasesPerMinute: number; readonly nairaPerDay: AmountMinor | undefined } | undefined;
  /** Its calls go to the embedded sandbox, under `sandboxScopeOf` its fingerprint. */
  readonly isSandboxed: boolean;
  /** Of an entry that stands for what a key did in the sandbox: the fingerprint of the key itself. */
  readonly sandboxOf: string | undefined;
  readonly walletBelow: AmountMinor | undefined;
  readonly format: string | undefined;
  readonly family: string | undefined;
  readonly hasGuard: boolean;
  /** By table: the script's own numbers. */
  readonly numbers: ReadonlyMap<string, OwnNumbers>;
  /** By list of the catalog: its columns that are shown in the script's own numbers. */
  readonly columns: ReadonlyMap<string, readonly OwnColumn[]>;
  /** By operation, and `default` for every bare array. */
  readonly lists: ReadonlyMap<string, ListShape>;
  /** Milliseconds; undefined when the kind of caller decides. */
  readonly patienceOf: (operation: string) => number | undefined;
  readonly afterPendingOf: (operation: string) => AfterPending | undefined;
  /** How long a success is told again; Infinity for ever, undefined when `timing` decides. */
  readonly replayMs: number | undefined;
}

export interface OwnColumn {
  readonly column: string;
  readonly table: Table;
  readonly own: OwnNumbers;
}

/** The object around a list, for one script. */
export interface ListShape {
  readonly build: (list: JsonObject | readonly JsonValue[], scope: Scope) => JsonObject | readonly JsonValue[];
  readonly sources: readonly ReplyFieldSource[];
}

export interface CallLimit {
  readonly calls: number;
  readonly windowMs: number;
}

/** How often lookups without a key are served: by the operator's key, and before it by a key that sold from there. */
export interface LookupLimits extends CallLimit {
  /** What v1 allows the operator's key in the window; infinite when the mapping does not say. */
  readonly total: number;
  /** How many of them are kept for its owner. */
  readonly owner: number;
  /** How long what was found is told again to the same address. */
  readonly rememberMs: number;
  readonly seller: (CallLimit & { readonly withinMs: number }) | undefined;
}

export interface OtherNumbering {
  readonly title: string;
  readonly numbering: Numbering;
  /** A number that only such numberings explain, of a phone that is not ported, is sold as they mean it. */
  readonly sellsUnported: boolean;
  readonly path: YamlPath;
}

export interface Route {
  readonly methods: readonly string[];
  /** As written: `/api/transaction/:id`. */
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
  /** Headers that carry one as well. */
  readonly requestIdHeaders: readonly string[];
  readonly words: Readonly<Record<ReplyOutcome, OutcomeWords>>;
  /** Of a family that knows sales by one HTTP status: nothing that is no sale is told with it, a list or a name as little as a failure. */
  readonly saleHttp?: number;
  /** Of a family that knows failures by one HTTP status: also refusals and rejections are told with it. */
  readonly failureHttp?: number;
  readonly texts: Readonly<Record<string, string>>;
  readonly timing: Timing;
  /** How long a success is told again to a repeat. */
  readonly replayMs: number;
  /** How long a request without an id may repeat an order: of every family alike. */
  readonly repeatMs: number;
  readonly lookupKey: LookupLimits;
  readonly callerKeys: ReadonlyMap<string, CallerKey>;
  /** File, line and column of a path of the merged source. */
  placeOf(path: readonly PropertyKey[]): { readonly file: string; readonly line: number; readonly column: number };
  /** What a refusal looks like. */
  readonly refusal: ReplyBuilder;
  readonly matchRoute: MatchRoute;
  callerKindOf(headers: LegacyHeaders): CallerKind;
  /** What a number means for a table in a format. */
  numberingOf(format: string, table: Table): Numbering;
}

export type RouteMatch =
  | {
      readonly kind: 'matched';
      readonly operation: Operation;
      /** Fields that stand in the path. */
      readonly parameters: Readonly<Record<string, string>>;
      /** Every id that the end of a status address can be read as, likeliest first; empty at other addresses. */
      readonly readings: readonly string[];
      /** The only format that this address can mean: a `/b/…` prefix, or a route of one format alone. */
      readonly pinnedFormat: string | undefined;
    }
  | { readonly kind: 'wrong_method'; readonly allowed: readonly string[] }
  | { readonly kind: 'unknown_path' };

export type MatchRoute = (method: string, path: string, rawPath?: string) => RouteMatch;
