/** Two JSON values compared field by field; each difference is one line that names its place. */
export function differences(expected: unknown, actual: unknown, place = ''): string[] {
  if (isObject(expected) && isObject(actual)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return keys.flatMap((key) => {
      const inner = place === '' ? key : `${place}.${key}`;
      if (!Object.hasOwn(actual, key)) return [`${inner}: is missing, expected ${show(expected[key])}`];
      if (!Object.hasOwn(expected, key)) return [`${inner}: is not expected, found ${show(actual[key])}`];
      return differences(expected[key], actual[key], inner);
    });
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item, index) => differences(item, actual[index], `${place}[${index}]`));
  }
  return JSON.stringify(expected) === JSON.stringify(actual)
    ? []
    : [`${place}: expected ${show(expected)}, found ${show(actual)}`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
