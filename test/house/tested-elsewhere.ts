/** Source files (or folders, with a slash at the end) without a test of their own name, each with the reason. */
export const TESTED_ELSEWHERE: Readonly<Record<string, string>> = {
  // Types alone.
  'src/domain/legacy.ts': 'Types alone.',
  'src/domain/order.ts': 'Types alone.',
  'src/gateway/asking.ts': 'A type and a spread; every answer starts from it.',
  'src/journal/journal.ts': 'An interface; test/journal/journal-suite.ts is its meaning.',
  'src/journal/journal-event.ts': 'Types alone.',
  'src/mapping/mapping.ts': 'Types alone.',
  'src/upstream/upstream.ts': 'An interface; test/upstream/http-upstream.test.ts is its meaning.',

  // Parts of one thing that is tested as a whole.
  'src/gateway/answer-list.ts': 'Asked for every list in test/gateway/reply-table.test.ts.',
  'src/gateway/answer-lookup.ts': 'Asked for every lookup in test/gateway/reply-table.test.ts.',
  'src/gateway/answer-status.ts': 'Asked before and after a restart in test/flows/status.test.ts.',
  'src/gateway/case/': 'Parts of playing cases: test/gateway/run-cases.test.ts and test/gateway/run-mutants.test.ts.',
  'src/gateway/refuse.ts': 'Every refusal of the walk in test/gateway/gateway.test.ts.',
  'src/gateway/walk-in.ts': 'Steps 2 to 6 in a row: test/gateway/gateway.test.ts, and each step by itself.',
  'src/journal/check-intent.ts': 'Part of opening an order: test/journal/journal-suite.ts.',
  'src/journal/decide-opening.ts': 'Part of opening an order: test/journal/journal-suite.ts.',
  'src/journal/lmdb/': 'Parts of the LMDB journal: test/journal/journal-suite.ts and test/journal/lmdb-journal.test.ts.',
  'src/mapping/case/case-schema.ts': 'The language of cases: test/mapping/cases.test.ts.',
  'src/mapping/mutate/': 'Every break of the shipped set: test/mapping/mutate.test.ts.',
  'src/mapping/rules/': 'One fixture for every rule: test/mapping/rules and test/mapping/check.test.ts.',
  'src/upstream/v1.ts': 'The sandbox speaks these types and test/conformance holds it to the specification.',

  // What ties rooms together, and is only ever seen as a whole.
  'src/main.ts': 'Opened by every test in test/flows.',
  'src/observer.ts': 'Writes the log lines that test/flows/mood.test.ts reads.',
  'src/sandbox/': 'A whole v1 behind a socket: test/conformance and test/sandbox ask it as a caller would.',
};

/**
 * Files (or folders) without a test so far. This list may only get shorter: what has a test leaves it, and a new file
 * needs a test, or a place in the list above with its reason.
 */
export const NOT_TESTED_YET: readonly string[] = [
  'src/admin/mapping-router.ts',
  'src/cli/',
  'src/configured-journal.ts',
  'src/gateway/explain.ts',
  'src/open-orders.ts',
  'src/watch-mappings.ts',
];
