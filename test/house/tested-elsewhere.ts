/** Source files (or folders, with a slash at the end) without a test of their own name, each with the reason. */
export const TESTED_ELSEWHERE: Readonly<Record<string, string>> = {
  // Types alone.
  'src/domain/legacy.ts': 'Types, and a header by its name: test/gateway/read/request-id.test.ts.',
  'src/domain/traffic.ts': 'Types alone.',
  'src/gateway/order/create-signal.ts': 'What test/gateway/order/pursue.test.ts waits for.',
  'src/gateway/proof/find-receipt.ts': 'Asked for every pending order of test/gateway/order/pursue.test.ts.',
  'src/gateway/read/other-numbering.ts': 'Every refusal and sale of test/gateway/read/guard-numbering.test.ts.',
  'src/gateway/order/open-order.ts':
    'The half of a purchase before it is pursued: test/gateway/answer-purchase.test.ts and test/flows/repeat.test.ts.',
  'src/gateway/proof/fill-goods.ts': 'PINs and tokens that only a receipt shows: test/flows/strange-v1.test.ts.',
  'src/gateway/proof/identify-order.ts': 'Every duplicate of test/flows/strange-v1.test.ts and test/flows/same-number.test.ts.',
  'src/gateway/order/pursuit.ts': 'Types alone.',
  'src/gateway/order/pursuit-times.ts': 'Each pause and limit is a row of test/gateway/order/pursue.test.ts.',
  'src/gateway/walk-parts.ts': 'What a gateway is made of: test/gateway/gateway.test.ts.',
  'src/gateway/walk-request.ts': 'Every request of test/gateway/gateway.test.ts.',
  'src/mapping/language/': 'Parts of one schema: test/mapping/language/schema.test.ts and model.test.ts.',
  'src/gateway/read/parsed-request.ts': 'A type and a spread; every answer starts from it.',
  'src/journal/journal.ts': 'An interface; test/journal/journal-suite.ts is its meaning.',
  'src/journal/journal-event.ts': 'Types alone.',
  'src/mapping/mapping.ts': 'Types alone.',
  'src/upstream/probe-v1.ts': 'Every probe of test/watch/watch-upstream.test.ts.',
  'src/upstream/upstream.ts': 'An interface; test/upstream/http-upstream.test.ts is its meaning.',

  // Parts of one thing that is tested as a whole.
  'src/cli/apply.ts': 'What plan has planned is applied in test/cli/plan.test.ts.',
  'src/cli/config.ts': 'Run as a process in test/cli/serve.test.ts, beside the other commands that read settings.',
  'src/cli/describe-reply.ts': 'The rows of test/cli/explain.test.ts and test/cli/describe-order.test.ts.',
  'src/cli/listen-for-stop.ts': 'Every signal of test/cli/serve.test.ts.',
  'src/cli/main.ts': 'Run as a process in test/cli/serve.test.ts; what it says is tested in test/cli/program.test.ts.',
  'src/cli/plan-report.ts': 'Everything that test/cli/plan.test.ts reads.',
  'src/cli/read-config.ts': 'Read by every command: a malformed file in test/cli/serve.test.ts.',
  'src/cli/read-hidden-line.ts': 'How fingerprint takes a key: test/cli/fingerprint.test.ts.',
  'src/cli/read-sets.ts': 'Both sides of every plan in test/cli/plan.test.ts.',
  'src/cli/read-wire-request.ts': 'Reads every request of test/cli/explain.test.ts.',
  'src/cli/sandbox.ts': 'Run as a process in test/cli/serve.test.ts.',
  'src/cli/test-report.ts': 'Everything that test/cli/test-command.test.ts reads.',
  'src/cli/test.ts': 'A file named test.test.ts would read oddly: test/cli/test-command.test.ts.',
  'src/operator/explain/explain.ts':
    'Steps and replies as an operator reads them: test/cli/explain.test.ts and test/cli/describe-order.test.ts.',
  'src/gateway/answer-list.ts': 'Asked for every list in test/gateway/reply-table.test.ts.',
  'src/gateway/answer-lookup.ts': 'Asked for every lookup in test/gateway/reply-table.test.ts.',
  'src/gateway/answer-status.ts': 'Asked before and after a restart in test/flows/status.test.ts.',
  'src/operator/case/':
    'Parts of playing cases: test/operator/case/run-cases.test.ts and test/operator/mutant/run-mutants.test.ts.',
  'src/gateway/answer-refused-repeat.ts': 'Under a mapping that has changed: test/faults/operator.test.ts.',
  'src/gateway/proof/find-lost.ts':
    'The half of reconciling that looks for orders without a reference: test/gateway/proof/reconcile.test.ts.',
  'src/gateway/tell/refuse.ts': 'Every refusal of the walk in test/gateway/gateway.test.ts.',
  'src/operator/replay/': 'Parts of replaying shapes through two mappings: test/operator/replay/replay.test.ts.',
  'src/gateway/tell/tell-unanswered.ts': 'Every question that is not answered: test/families/requeries.test.ts.',
  'src/gateway/read/walk-in.ts': 'Steps 2 to 6 in a row: test/gateway/gateway.test.ts, and each step by itself.',
  'src/journal/check-intent.ts': 'Part of opening an order: test/journal/journal-suite.ts.',
  'src/journal/decide-opening.ts': 'Part of opening an order: test/journal/journal-suite.ts.',
  'src/journal/lmdb/': 'Parts of the LMDB journal: test/journal/journal-suite.ts and test/journal/lmdb-journal.test.ts.',
  'src/journal/postgres/':
    'Parts of the PostgreSQL journal on a real server: test/journal/postgres/postgres-journal.test.ts and away.test.ts.',
  'src/mapping/merge-layers.ts':
    'Every layer of every reply: test/mapping/compile-reply.test.ts and test/mapping/rules/check-told.test.ts.',
  'src/operator/mutant/': 'Every break of the shipped set: test/operator/mutant/mutate.test.ts.',
  'src/operator/plan/':
    'Parts of comparing two sets: test/operator/plan/compare-sources.test.ts and test/operator/plan/reformat.test.ts.',
  'src/mapping/rules/': 'The examples of every rule in docs/rules: test/mapping/rules and test/mapping/check.test.ts.',
  'src/traffic/traffic-of.ts': 'Part of reading what was recorded: test/traffic/recorder.test.ts.',
  'src/cli/drift-report.ts':
    'What it prints is held to docs/drift.md by test/docs/pages.test.ts, and read in test/flows/drift.test.ts.',
  'src/cli/drift.ts': 'Run against a whole house in test/flows/drift.test.ts.',
  'src/operator/drift/drift.ts': 'Types alone.',
  'src/operator/drift/field-fit.ts': 'Decides in test/operator/drift/find-unknown-fields.test.ts.',
  'src/operator/drift/find-addresses.ts': 'Asked in test/operator/drift/find-drift.test.ts.',
  'src/operator/drift/find-unused.ts': 'Asked in test/operator/drift/find-drift.test.ts.',
  'src/operator/drift/name-parts.ts': 'Every name of test/operator/drift/order-id-name.test.ts.',
  'src/operator/drift/sighting.ts': 'Part of test/operator/drift/find-unknown-fields.test.ts.',
  'src/operator/drift/suggest-field.ts': 'Every branch in test/operator/drift/find-unknown-fields.test.ts.',
  'src/upstream/v1.ts': 'The sandbox speaks these types and test/conformance holds it to the specification.',

  // What ties rooms together, and is only ever seen as a whole.
  'src/start/config-values.ts': 'The words of every setting: test/config.test.ts.',
  'src/start/configured-traffic.ts': 'Opened, damaged and switched off in test/flows/traffic.test.ts.',
  'src/start/open-admin.ts': 'The admin port of every test in test/flows.',
  'src/cluster/':
    'Real processes against one v1: test/crash/workers.test.ts; the messages and the guards by themselves in test/cluster.',
  'src/around.ts': 'Opened by every test in test/flows.',
  'src/main.ts': 'Opened by every test in test/flows.',
  'src/sandbox/': 'A whole v1 behind a socket: test/conformance and test/sandbox ask it as a caller would.',
};

/**
 * Files (or folders) without a test so far. This list may only get shorter: what has a test leaves it, and a new file
 * needs a test, or a place in the list above with its reason.
 */
export const NOT_TESTED_YET: readonly string[] = [];
