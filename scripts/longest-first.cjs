// The order in which jest begins suites. It begins with those that took longest before; a clean clone has no before, and then it takes the largest
// files first, and one that takes minutes may end the run alone.
const { default: Sequencer } = require('@jest/test-sequencer');

const LONGEST = [
  'faults/fault-matrix',
  'docs/pages',
  'mapping/breakages/breakages',
  'console/pages',
  'security/markers',
  'weather/families',
  'crash/workers',
  'simulation/mutants',
  'crash/rolling',
  'flows/bounded-metrics',
  'probe/framing',
  'console/trouble',
  'disk/alarms',
];

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const place = ({ path }) => LONGEST.findIndex((name) => path.includes(`/test/${name}.test.`));
    const isLong = (test) => place(test) >= 0;
    return [...sorted.filter(isLong).sort((one, other) => place(one) - place(other)), ...sorted.filter((test) => !isLong(test))];
  }
};
