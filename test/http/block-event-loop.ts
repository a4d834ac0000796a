/** Blocks the event loop, as when the process is stopped or gets no processor. */
export function blockEventLoop(ms = 150): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}
