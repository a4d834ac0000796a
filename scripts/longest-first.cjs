// The order in which jest begins suites. It begins with those that took longest before; a clean clone has no before, and then it takes the largest
// files first, and one that takes minutes may end the run alone.
const { default: Sequencer } = require('@jest/test-sequencer');

// Those that wait stand between those that compute.
const LONGEST = [
  'faults/fault-matrix',
  'docs/pages',
  'disk/alarms',
  'deploy/fronts',
  'mapping/breakages/breakages',
  'crash/told',
  'console/pages',
  'crash/workers',
  'security/markers',
  'flows/hang-up',
  'worst-day/worst-day',
  'php/php-scripts',
  'console/trouble',
  'flows/bounded-metrics',
  'crash/rolling',
  'weather/families',
  'probe/framing',
];

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const place = ({ path }) => LONGEST.findIndex((name) => path.includes(`/test/${name}.test.`));
    const isLong = (test) => place(test) >= 0;
    return [...sorted.filter(isLong).sort((one, other) => place(one) - place(other)), ...sorted.filter((test) => !isLong(test))];
  }
};
