// The specification gives times without an offset to a Nigerian service, so they are West Africa Time, which is UTC+1 all year.
const OFFSET_MS = 60 * 60_000;

/** `YYYY-MM-DD HH:MM:SS` (sections 2.3 and 2.4). */
export function watText(ms: number): string {
  return new Date(ms + OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}

/** ISO 8601 with offset (section 6). */
export function watIso(ms: number): string {
  return `${new Date(ms + OFFSET_MS).toISOString().slice(0, 19)}+01:00`;
}
