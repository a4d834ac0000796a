/** The whole numbers that scripts see as `id`. */

const EPOCH_MS = Date.UTC(2026, 0, 1);
const NUMBERS_PER_MS = 1000;

export type TakeNumber = (openedAtMs: number, isTaken: (number: number) => boolean) => number;

/**
 * Numbers that rise with time: milliseconds since 2026 times 1000, plus a counter of this process. Two processes may pick
 * the same one in the same millisecond, so a store hands in what the owner already has and the next free one is taken.
 */
export function createOrderNumbers(): TakeNumber {
  let lastMs = -1;
  let counter = 0;
  return (openedAtMs, isTaken) => {
    counter = openedAtMs === lastMs ? counter + 1 : 0;
    lastMs = openedAtMs;
    // Zero is no number: PHP takes it for false.
    let number = Math.max(1, Math.floor(openedAtMs - EPOCH_MS) * NUMBERS_PER_MS + counter);
    while (isTaken(number)) number += 1;
    return number;
  };
}
