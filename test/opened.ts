/** What `open` gives, opened before the tests of a file or a `describe` and closed after them; or, with the hooks of each test, anew for each. */
export function opened<T extends { close(): Promise<void> }>(
  open: () => Promise<T>,
  before: Hook = beforeAll,
  after: Hook = afterAll,
): T {
  let current: T | undefined;
  before(async () => {
    current = await open();
  });
  after(async () => current?.close());
  const read = (_empty: T, name: string | symbol): unknown => {
    const value = current?.[name as keyof T];
    return typeof value === 'function' ? (value.bind(current) as unknown) : value;
  };
  const write = (_empty: T, name: string | symbol, value: unknown): boolean => {
    current![name as keyof T] = value as T[keyof T];
    return true;
  };
  return new Proxy({} as T, { get: read, set: write });
}

type Hook = (run: () => Promise<void>) => void;
