// `node scripts/suites-to-repeat.mjs results.json`: prints which failed suites CI may run again alone, one path in each line, and takes them out of
// the results. Exits with 1 where a suite failed that gets no second run, or more failed than chance explains.
import { readFileSync, writeFileSync } from 'node:fs';

/** What these find is wrong with money or secrets: seen once is enough, unless they could not begin. */
const NEVER_AGAIN = /\/test\/(?:crash|families|faults|fleet|php|security|simulation|weather|worst-day)\//;
const AT_MOST = 6;

const [file] = process.argv.slice(2);
const results = JSON.parse(readFileSync(file, 'utf8'));
const failed = results.testResults.filter(({ status }) => status === 'failed');
// Where what comes before all tests throws, each fails with this one message: nothing was judged.
const isUnjudged = ({ assertionResults: all }) =>
  all.length > 1 && all.every(({ failureMessages: [message] }) => message !== undefined && message === all[0].failureMessages[0]);
const forGood = failed.filter((suite) => NEVER_AGAIN.test(suite.name) && !isUnjudged(suite));
if (failed.length === 0 || failed.length > AT_MOST || forGood.length > 0) {
  console.error(`Not run again: ${failed.length} suites failed, ${forGood.length} of them about money or secrets.`);
  process.exit(1);
}
const tests = failed.flatMap(({ assertionResults }) => assertionResults);
const withStatus = (wanted) => tests.filter(({ status }) => status === wanted).length;
results.numPassedTests -= withStatus('passed');
results.numFailedTests -= withStatus('failed');
results.numRuntimeErrorTestSuites -= failed.filter(({ assertionResults }) => assertionResults.length === 0).length;
writeFileSync(file, JSON.stringify(results));
console.log(failed.map(({ name }) => name).join('\n'));
