/** A pattern of header values: without case, a final `*` is any rest. */
export function compilePattern(pattern: string): (value: string) => boolean {
  const lower = pattern.toLowerCase();
  if (!lower.endsWith('*')) return (value) => value.toLowerCase() === lower;
  const start = lower.slice(0, -1);
  return (value) => value.toLowerCase().startsWith(start);
}
