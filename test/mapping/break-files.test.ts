import { checkFiles, type CheckedMapping } from '../../src/mapping/check';
import { breakFiles } from './break-files';
import { shippedFiles } from './mapping-set';

const SETS = 60;
/** The limit for one check, in checks of the shipped set. A check that never ends exceeds the limit on any machine. */
const CHECKS_MAX = 30;

/** Processor time in milliseconds, so that a busy machine counts for little. */
function workOf(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

test('the check of a broken file never throws, ends soon, and gives each problem a place in a file', () => {
  const files = shippedFiles();
  const oneCheckMs = Math.min(...[1, 2, 3].map(() => workOf(() => void checkFiles(files))));
  let refused = 0;
  for (let seed = 1; seed <= SETS; seed += 1) {
    const { files: broken, accident, broken: hit } = breakFiles(files, seed);
    let checked: CheckedMapping | undefined;
    const workMs = workOf(() => (checked = checkFiles(broken)));
    const { mapping, problems } = checked!;
    expect({ seed, hit, accident, isSlow: workMs > CHECKS_MAX * oneCheckMs }).toMatchObject({ isSlow: false });
    if (mapping === undefined) {
      refused += 1;
      expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
    }
    for (const { file, line, column, message } of problems) {
      const lines = broken.find((one) => one.file === file)?.text.split('\n');
      const isInside =
        lines !== undefined && line >= 1 && line <= lines.length && column >= 1 && column <= lines[line - 1]!.length + 1;
      expect({ seed, hit, accident, message, file, line, column, isInside }).toMatchObject({ isInside: true });
    }
  }
  // Some accidents change nothing that counts, such as a comment; most do.
  expect(refused).toBeGreaterThan(SETS / 3);
});
