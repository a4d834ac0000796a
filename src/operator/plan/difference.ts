/** One thing that two mapping sets say differently. */
export interface DifferencePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Difference {
  readonly kind: 'added' | 'removed' | 'changed';
  /** Of the merged source: `operations.buy_airtime.fields.phone.from`. */
  readonly path: string;
  /** In the operator's words. */
  readonly words: string;
  /** What a new thing says, leaf by leaf: nobody can judge it by its name. */
  readonly leaves?: readonly string[];
  readonly before?: string;
  readonly after?: string;
  /** Where it stands in the running set, and in the candidate. */
  readonly placeBefore?: DifferencePlace;
  readonly placeAfter?: DifferencePlace;
  /** Why it can move money; absent when it cannot. */
  readonly money?: string;
}
