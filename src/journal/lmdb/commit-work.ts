/** What writing needs of a root of LMDB, whatever it holds. */
export interface WritableRoot {
  childTransaction(work: () => void): Promise<unknown>;
  close(): Promise<void>;
  resetReadTxn(): void;
  getStats(): object;
}

/** A child transaction, so that of work that throws nothing stays. Resolves when it is on disk (see decision 0010). */
export async function commitWork(root: WritableRoot, work: () => void): Promise<void> {
  try {
    await root.childTransaction(work);
  } catch (error) {
    // lmdb tells the reason of a failed commit by a second promise, which nobody else awaits: it would end the process.
    const { commitError } = error as { readonly commitError?: Promise<never> };
    throw await Promise.resolve(commitError).then(
      () => error,
      (reason: unknown) => reason,
    );
  }
}
