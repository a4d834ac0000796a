/**
 * What a node of the schema says of itself beside its form: how two of its values are compared, whether a change of it can
 * move money, and how the change is said. `model.ts` reads it back; a key without such words does not load.
 */

export type Comparison =
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
  /** A value or a map of fields, in the one way of writing it. */
  | 'value'
  /** The same, when nothing at all is as good as no fields. */
  | 'fields';

/** `money` with its reason, `plain`, or what decides it case by case in the plan's `judge-money.ts`. */
export type Judgement =
  | { readonly money: string }
  | 'plain'
  | 'by field'
  | 'by reply field'
  | 'by row column'
  | 'by kind of operation'
  | 'by kind of caller';

/** A key whose value is compared as one. */
export interface Compared {
  readonly compared: Comparison;
  readonly judged: Judgement;
  /**
   * What it is: a change is said as `…: before -> after`. `{1}` is the first name of the path, `{reply}` what the reply
   * that holds this key is called.
   */
  readonly says: string;
  /** For sets: how a new item, and a removed one, is said. */
  readonly added?: string;
  readonly removed?: string;
  /** True for a value that has a meaning even when it is empty. */
  readonly keptEmpty?: true;
  /** How a new or removed one is named. */
  readonly named?: string;
}

/** A value with keys of its own. */
export interface Grouped {
  /** How a new or removed one is named; without this its keys are reported one by one. */
  readonly named?: string;
  readonly keptEmpty?: true;
  /** What `{reply}` means below. */
  readonly reply?: string;
  /** A list of items without names, of which two may be equal. */
  readonly unnamed?: true;
}

/** Under `language` in the meta of a node. `elsewhere`: another section of the merged set holds it. */
export type Declared = Compared | Grouped | 'elsewhere';

/**
 * What `.meta()` takes. `entries` stands at a record: what each of its entries is. `rule` is the rule that a wrong form
 * breaks, `standIn` the value that the checker reads on with where the author's cannot be read: no check knows a meaning of it.
 */
type Meta = { readonly language?: Declared; readonly entries?: Declared };

export const money = (reason: string): Judgement => ({ money: reason });

export const FORMAT = money('decides which format a request is taken for');
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

/** A key that is compared as one. */
export function one(compared: Comparison, judged: Judgement, says: string, more: Partial<Compared> = {}): Meta {
  return { language: { compared, judged, says, ...more } };
}

/** A key whose items are compared one by one. */
export function setOf(
  compared: 'set' | 'words' | 'agents' | 'routes',
  judged: Judgement,
  says: string,
  added: string,
  removed: string,
): Meta {
  return { language: { compared, judged, says, added, removed } };
}

export const group = (language: Grouped): Meta => ({ language });

/** A record whose entries are what `meta` says. */
export const entries = ({ language }: Meta): Meta => (language === undefined ? {} : { entries: language });

/** Keys without a meaning of their own, or whose values another section of the merged set holds. */
export const elsewhere: Meta = { language: 'elsewhere' };
