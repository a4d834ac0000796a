/** Listens for SIGINT and SIGTERM from now on, so that none is missed while things start; a second signal does not wait. */
export interface StopSignal {
  /** Resolves when the process is asked to end. */
  readonly asked: Promise<void>;
  /** Gives the signals back. */
  forget(): void;
}

export function listenForStop(): StopSignal {
  let isAsked = false;
  let resolve: () => void = () => undefined;
  const asked = new Promise<void>((done) => (resolve = done));
  const onSignal = (): void => {
    if (isAsked) process.exit(1);
    isAsked = true;
    resolve();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { asked, forget: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal) };
}
