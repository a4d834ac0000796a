/** Blocks the event loop, as when the process is stopped or gets no processor. */
export function blockEventLoop(): void {
  const untilMs = performance.now() + 150;
  while (performance.now() < untilMs);
}
