/** A change that several wait for. */
export interface Signal {
  emit(): void;
  /** Resolves at the next change. */
  next(): Promise<void>;
}

export function createSignal(): Signal {
  let waiting: (() => void)[] = [];
  return {
    emit() {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  };
}
