/** Listens for SIGINT and SIGTERM from now on, so that none is missed while things start; a second signal does not wait. */
export interface StopSignal {
  /** Resolves with the signal that asks the process to end. */
  readonly asked: Promise<NodeJS.Signals>;
  /** Gives the signals back. */
  forget(): void;
}

export function listenForStop(): StopSignal {
  let isAsked = false;
  let resolve: (signal: NodeJS.Signals) => void = () => undefined;
  const asked = new Promise<NodeJS.Signals>((done) => (resolve = done));
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isAsked) process.exit(1);
    isAsked = true;
    resolve(signal);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { asked, forget: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal) };
}
