import type { Line } from '../../src/domain/legacy';

/** A connection whose end a test decides: true when the reply was sent whole, false when the script has hung up. */
export function openLine(
  ageMs: number | (() => number) = 0,
  heldUpMs: () => number = () => 0,
): { readonly line: Line; readonly end: (isWhole: boolean) => void } {
  let ended: boolean | undefined;
  let runs: ((isWhole: boolean) => void)[] = [];
  const line: Line = {
    get ageMs() {
      return typeof ageMs === 'number' ? ageMs : ageMs();
    },
    get heldUpMs() {
      return heldUpMs();
    },
    get hasHungUp() {
      return ended === false;
    },
    onEnd(run) {
      if (ended === undefined) runs.push(run);
      else run(ended);
    },
  };
  const end = (isWhole: boolean): void => {
    ended ??= isWhole;
    const waiting = runs;
    runs = [];
    for (const run of waiting) run(ended);
  };
  return { line, end };
}
