/** Columns of a batch as array literals, made here because the client's own way escapes each element by regular expressions. */

/** A key as bytes. JSON text keeps unpaired surrogates apart, so no two ids ever share a key. */
export function textBytes(text: string): Buffer {
  return Buffer.from(JSON.stringify(text));
}

export function byteaArray(values: readonly (Buffer | undefined)[]): string {
  return `{${values.map((value) => (value === undefined ? 'NULL' : `"\\\\x${value.toString('hex')}"`)).join(',')}}`;
}

/** Of numbers and of truth values, which need no quoting. */
export function plainArray(values: readonly (number | boolean | undefined)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}
