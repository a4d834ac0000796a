// Long suites begin first. Where jest has not measured them yet, as in a clean clone, it begins with the largest files, and a small file
// that plays for a minute would run alone in the end.
const { default: Sequencer } = require('@jest/test-sequencer');

module.exports = class LongestFirst extends Sequencer {
  /** Parts of paths; set by `jest.config.cjs`. */
  static long = [];

  sort(tests) {
    const isLong = ({ path }) => LongestFirst.long.some((part) => path.includes(part));
    const sorted = super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
};
