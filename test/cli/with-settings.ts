/** Settings for commands that run inside this process: set before each test of a file, taken away after it. */
export function withSettings(settings: () => Readonly<Record<string, string>>): void {
  let before: Readonly<Record<string, string | undefined>> = {};
  beforeEach(() => {
    before = { ...process.env };
    Object.assign(process.env, settings());
  });
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });
}
