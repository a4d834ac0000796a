/**
 * Opens a part before the tests of a file or a `describe` and closes it after them; with the hooks of each test, opens a new
 * one for each. Reads and writes of the result go to the part that is open now.
 */
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

interface Closing {
  close(): unknown;
}

/** Keeps the parts that a test opens, and closes them after it, the latest first. */
export function closedAfterEach(): <T extends Closing>(part: T) => T {
  const open: Closing[] = [];
  afterEach(async () => {
    for (const part of open.splice(0).reverse()) await part.close();
  });
  return (part) => {
    open.push(part);
    return part;
  };
}

type Hook = (run: () => Promise<void>) => void;
