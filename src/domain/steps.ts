/** Long work in steps: what waits for the event loop meanwhile, such as a sale, waits for a few of them and not for all. */

export type Steps<T> = Generator<void, T>;

/** A sale takes about ten turns of the event loop, so the work delays it by about ten times as long. */
const TURN_MS = 5;

/** Does all steps in one turn of the event loop. */
export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Does the steps in many turns of the event loop, none of which takes much longer than `TURN_MS` and one step. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    const startMs = performance.now();
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() - startMs < TURN_MS);
  }
}

/** Returns a function that does one work after the other, whether or not the one before it has failed. */
export function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Each call resolves in its turn among those of its name, with the function that ends the turn. */
export function createTurns(): (name: string) => Promise<() => void> {
  const last = new Map<string, Promise<void>>();
  return async (name) => {
    const before = last.get(name);
    let end: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => void (end = resolve));
    last.set(name, mine);
    await before;
    return () => {
      if (last.get(name) === mine) last.delete(name);
      end();
    };
  };
}

/** As `oneByOne`, for the works of each name by themselves. */
export function oneByOnePerName(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const takeTurn = createTurns();
  return async (name, work) => {
    const end = await takeTurn(name);
    try {
      return await work();
    } finally {
      end();
    }
  };
}
