/** Nothing of this process runs meanwhile, as when it is stopped or gets no processor. */
export function standStill(): void {
  const untilMs = performance.now() + 150;
  while (performance.now() < untilMs);
}
