/** Waits for SIGINT or SIGTERM, then stops; a second signal does not wait. */
export function untilStopped(stop: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let isStopping = false;
    const onSignal = (): void => {
      if (isStopping) process.exit(1);
      isStopping = true;
      stop().then(() => {
        process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
        resolve();
      }, reject);
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  });
}
