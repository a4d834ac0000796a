/**
 * Declarations of schema nodes for `plan`: how two values are compared, whether a change can move money, and the sentence
 * that describes a change. `model.ts` reads them, and throws at load if a key has none.
 */

export type Comparison =
  /** Compared as it is. */
  | 'constant'
  /** False and absent are equal. */
  | 'flag'
  /** `on` and absent are equal. */
  | 'guard'
  /** Neither order nor repetition counts. */
  | 'set'
  /** A set of words, compared as tables compare them. */
  | 'words'
  /** A set of User-Agents or names of headers, compared without case. */
  | 'agents'
  /** A set of addresses, each with one method. */
  | 'routes'
  /** Number to value; `01` is 1. */
  | 'numbers'
  /** Order counts. */
  | 'sequence'
  /** Compared as the field reads it: 100 and "100" are the same amount. */
  | 'default'
  /** A value or a map of fields, compared in its canonical form. */
  | 'value'
  /** Like `value`; absent and an empty map are equal. */
  | 'fields';

/** Whether a change can move money: `money` with the reason, `plain`, or the case by which `judge-money.ts` of the plan decides. */
export type Judgement =
  | { readonly money: string }
  | 'plain'
  | 'by field'
  | 'by reply field'
  | 'by row column'
  | 'by kind of operation'
  | 'by kind of caller';

/** A key whose value is compared as a whole. */
export interface Compared {
  readonly compared: Comparison;
  readonly judged: Judgement;
  /**
   * The name of the value: a change reads `…: before -> after`. `{1}` is the first name of the path, `{reply}` the name of the
   * reply that contains this key.
   */
  readonly title: string;
  /** For sets: the sentences for a new item and for a removed one. */
  readonly added?: string;
  readonly removed?: string;
  /** True for a value that has a meaning even when it is empty. */
  readonly keptEmpty?: true;
  /** The name of a value that was added or removed. */
  readonly named?: string;
}

/** A value with keys of its own. */
export interface Grouped {
  /** The name of a value that was added or removed; without it the keys of the value are reported one by one. */
  readonly named?: string;
  readonly keptEmpty?: true;
  /** The text for `{reply}` in the keys below. */
  readonly reply?: string;
  /** True for a list of items without names, of which two may be equal. */
  readonly unnamed?: true;
}

/** The value of `language` in the meta of a node. `elsewhere`: the value is in another section of the merged set. */
export type Declared = Compared | Grouped | 'elsewhere';

/**
 * The argument of `.meta()`. `entries` of a record is the declaration of each entry. Nodes may also have `rule`, the rule for a wrong
 * form, and `standIn`, the value with which the checker continues in place of an unreadable one; no check reports a stand-in.
 */
type Meta = { readonly language?: Declared; readonly entries?: Declared };

export const money = (reason: string): Judgement => ({ money: reason });

export const FORMAT = money('decides in which format a request is read');
export const FAMILY = money('decides in which words a script hears how its order ended');
export const NETWORK = money('decides what a number or word buys');
export const LISTS = money('scripts import plan numbers and prices from these lists');
export const OUTCOME = money('tells scripts how an order ended');
export const AFTER_PENDING = money('decides whether an order is still bought after its script has heard pending');
export const WHOSE_KEY = money('decides whose key asks v1');
export const PAUSE = money('decides whether a script may sell');
export const GUARD = money('guards against a wrong network');
export const SAME_ORDER = money('decides which requests are one and the same order');
export const REPLAY = money('decides whether a repeat is told a sale or refused');
export const V1_CALL = money('is what v1 is asked');
export const JOINED = money('names and prices of the reply come from it');

/** Declares a key that is compared as a whole. */
export function whole(compared: Comparison, judged: Judgement, title: string, more: Partial<Compared> = {}): Meta {
  return { language: { compared, judged, title, ...more } };
}

/** Declares a key that is compared as it is. */
export const constant = (judged: Judgement, title: string): Meta => whole('constant', judged, title);

/** The same for a key whose changes move no money. */
export const plain = (title: string): Meta => constant('plain', title);

/**
 * Declares a key whose items are compared one by one. `change` is the sentence for a new item and for a removed one, which differ as in
 * `is [also|no longer] read`.
 */
export function setOf(compared: 'set' | 'words' | 'agents' | 'routes', judged: Judgement, title: string, change: string): Meta {
  const added = change.replace(/\[(.*?)\|.*?\]/g, '$1');
  const removed = change.replace(/\[.*?\|(.*?)\]/g, '$1');
  return { language: { compared, judged, title, added, removed } };
}

export const group = (language: Grouped): Meta => ({ language });

/** Declares each entry of a record by `meta`. */
export const entries = ({ language }: Meta): Meta => (language === undefined ? {} : { entries: language });

/** Declares a key without a meaning of its own, or with a value that is in another section of the merged set. */
export const elsewhere: Meta = { language: 'elsewhere' };
