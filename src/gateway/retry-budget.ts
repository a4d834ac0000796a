/**
 * How many retries the whole gateway may make: a share of what is sent, so that a v1 in trouble is not buried under the
 * very calls that ask what became of the last ones.
 */
export interface RetryBudget {
  /** One first try was made. */
  earn(): void;
  /** True when a retry may be made now; it is counted then. */
  spend(): boolean;
}

/** One retry for every five first tries, with a stock for quiet times. */
const SHARE = 0.2;
const STOCK_MAX = 200;

export function createRetryBudget(): RetryBudget {
  let stock = STOCK_MAX;
  return {
    earn() {
      stock = Math.min(STOCK_MAX, stock + SHARE);
    },
    spend() {
      if (stock < 1) return false;
      stock -= 1;
      return true;
    },
  };
}
