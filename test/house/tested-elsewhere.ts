/** Source files (or folders, with a slash at the end) without a test of their own name, each with the reason. */
export const TESTED_ELSEWHERE: Readonly<Record<string, string>> = {
  // Only types.
  'src/domain/alarm.ts': 'Names and a type: test/watch/alarm-conditions.test.ts.',
  'src/domain/legacy.ts': 'Types, and a header by its name: test/gateway/read/read-raw.test.ts.',
  'src/domain/project-folder.ts': 'From the files and from the one file: test/cli/built.test.ts.',
  'src/domain/traffic.ts': 'Types alone.',
  'src/domain/recorded-request.ts': 'Types alone.',
  'src/gateway/answer.ts': 'The ids of every answer: test/gateway/gateway.test.ts.',
  'src/gateway/order/open-order.ts':
    'The half of a purchase before it is pursued: test/gateway/answer-purchase.test.ts and test/flows/repeat.test.ts.',
  'src/gateway/order/pursuit-times.ts': 'Each pause and limit is a row of test/gateway/order/pursue.test.ts.',
  'src/gateway/order/content-turns.ts': 'Two alike at once: test/gateway/order/repeats.test.ts and test/cluster.',
  'src/gateway/order/find-unheard.ts': 'By words, header and content: test/gateway/order/repeats.test.ts.',
  'src/gateway/order/read-earlier.ts': 'Which order of several is told, by test/gateway/order/repeats.test.ts.',
  'src/gateway/order/sold-elsewhere.ts':
    'What another process has sold: test/gateway/order/repeats.test.ts and test/gateway/answer-purchase.test.ts.',
  'src/gateway/walk-parts.ts': 'What a gateway is made of: test/gateway/gateway.test.ts.',
  'src/gateway/walk-request.ts': 'Every request of test/gateway/gateway.test.ts.',
  'src/mapping/language/': 'Parts of one schema: test/mapping/language/schema.test.ts and model.test.ts.',
  'src/journal/journal.ts': 'An interface; test/journal/journal-suite.ts is its meaning.',
  'src/mapping/mapping.ts': 'Types alone.',
  'src/upstream/probe-v1.ts':
    'Over a real socket: test/watch/watch-upstream.test.ts; back to the gateway itself: test/http/passthrough.test.ts.',
  'src/upstream/upstream.ts': 'An interface; test/upstream/http-upstream.test.ts is its meaning.',

  'src/orders/note.ts': 'Types, and the beginning of a text.',
  'src/orders/side-folder.ts': 'What both of its kinds keep: test/orders/notes-store.test.ts and number-index.test.ts.',

  // Parts that are tested as a whole.
  'src/cli/orders-find.ts': 'Finding and telling: test/cli/orders.test.ts; asking v1 again: test/flows/orders-desk.test.ts.',
  'src/cli/orders-reconcile.ts': 'The command beside a running gateway: test/flows/reconcile.test.ts.',
  'src/orders/read-v1-day.ts': 'Every page, receipt and wait of test/orders/day-report.test.ts.',
  'src/start/orders-desk.ts': 'Found, told and asked again in a running house: test/flows/orders-desk.test.ts.',
  'src/admin/admin-guard.ts': 'Tokens, hosts and foreign pages: test/admin/admin-server.test.ts.',
  'src/admin/orders-router.ts': 'Right and wrong keys: test/flows/orders-desk.test.ts.',
  'src/orders/found-row.ts':
    'Each cell of a list and of an export: test/cli/orders.test.ts and test/console/orders-export.test.ts.',
  'src/orders/search-cursor.ts': 'From page to page in test/orders/find-orders.test.ts.',
  'src/watch/open-alarms.ts': 'Opened with the gateway: test/flows/alarms.test.ts.',
  'src/console/console-parts.ts': 'Types alone.',
  'src/console/assets.ts': 'Its files are asked for in test/console/console-router.test.ts.',
  'src/console/page.ts': 'The frame of every page of test/console/console-router.test.ts.',
  'src/console/pages/orders.ts': 'Search, story, recheck and export: test/console/orders.test.ts.',
  'src/console/orders/story.ts': 'The page of one order: test/console/orders.test.ts.',
  'src/console/pages/login.ts': 'Right, wrong and too many tokens: test/console/console-router.test.ts.',
  'src/console/pages/overview.ts': 'Shown and kept live in test/console/overview/overview.test.ts.',
  'src/console/callers/sections.ts': 'What they show: test/console/pages/callers.test.ts.',
  'src/console/overview/sections.ts':
    'What they show: test/console/overview/overview.test.ts, and in a browser test/console/pages.test.ts.',
  'src/console/pages/mappings.ts': 'Every button of it is pressed in test/console/mappings/mappings.test.ts.',
  'src/console/mappings/': 'Parts of one page: test/console/mappings/mappings.test.ts.',
  'src/console/pages/try.ts': 'Pastes of every kind: test/console/try/try.test.ts.',
  'src/console/try/': 'Parts of one page: test/console/try/try.test.ts.',
  'src/console/pages/sandbox.ts': 'Every action of it: test/console/sandbox.test.ts.',
  'src/console/work/':
    'In a thread of the built program: test/console/in-background.test.ts; what the jobs tell: test/console/mappings/mappings.test.ts.',
  'src/start/console.ts': 'Mounts what test/console/console-router.test.ts asks.',
  'src/cli/apply.ts': 'What plan has planned is applied in test/cli/plan.test.ts.',
  'src/cli/history.ts': 'Steps back and what they write: test/cli/plan.test.ts.',
  'src/cli/rollback.ts': 'What was applied is gone back from in test/cli/plan.test.ts.',
  'src/cli/config.ts': 'Run as a process in test/cli/serve.test.ts, beside the other commands that read settings.',
  'src/cli/backup.ts': 'Run while a gateway sells, in test/crash/backup.test.ts.',
  'src/cli/restore.ts': 'As the other half of a backup: test/crash/backup.test.ts.',
  'src/cli/known-set.ts': 'What is known and what it tells: test/mapping/checked-set.test.ts and test/cli/built.test.ts.',
  'src/cli/main.ts': 'Run as a process in test/cli/serve.test.ts; what it says is tested in test/cli/program.test.ts.',
  'src/cli/process.ts': 'Settings and signals of every command that test/cli/serve.test.ts runs as a process.',
  'src/cli/doctor/': 'Each check on the real thing, broken: test/cli/doctor; all together: test/cli/doctor.test.ts.',
  'src/cli/demo/': 'Parts of the shop: test/cli/demo/reseller.test.ts and test/cli/demo.test.ts.',
  'src/cli/sandbox.ts': 'Run as a process in test/cli/serve.test.ts.',
  'src/cli/test.ts': 'A file named test.test.ts would read oddly: test/cli/test-command.test.ts.',
  'src/operator/explain/explain.ts': 'Steps and replies as an operator reads them: test/cli/explain.test.ts.',
  'src/operator/case/':
    'Parts of playing cases: test/operator/case/run-cases.test.ts and test/operator/mutant/run-mutants.test.ts.',
  'src/gateway/answer-refused-repeat.ts': 'Under a mapping that has changed: test/faults/operator.test.ts.',
  'src/gateway/proof/check-proof.ts': 'What keeps an order from being proven absent: test/gateway/proof/reconcile.test.ts.',
  'src/gateway/proof/find-lost.ts':
    'The half of reconciling that looks for orders without a reference: test/gateway/proof/reconcile.test.ts.',
  'src/operator/replay/': 'Parts of replaying shapes through two mappings: test/operator/replay/replay.test.ts.',
  'src/gateway/read/walk-in.ts': 'Steps 2 to 6 in a row: test/gateway/gateway.test.ts, and each step by itself.',
  'src/journal/lmdb/': 'Parts of the LMDB journal: test/journal/journal-suite.ts and test/journal/lmdb-journal.test.ts.',
  'src/journal/postgres/':
    'Parts of the PostgreSQL journal on a real server: test/journal/postgres/postgres-journal.test.ts and away.test.ts.',
  'src/mapping/check.ts':
    'Each mistake with its place and cure: test/mapping/rules/rules.test.ts; two at once: caused-by.test.ts; broken files: test/mapping/break-files.test.ts.',
  'src/mapping/compile.ts':
    'Every reply of the shipped set: test/gateway/reply-table; every operation: test/operator/case/run-cases.test.ts.',
  'src/mapping/compile-field.ts':
    'Each field of the shipped set is read in test/gateway/read/canonicalise.test.ts, each mistake is in docs/rules: test/mapping/rules.',
  'src/mapping/merge-layers.ts':
    'Every layer of every reply: test/mapping/compile-reply.test.ts and test/mapping/rules/check-outcomes.test.ts.',
  'src/operator/mutant/': 'Every break of the shipped set: test/operator/mutant/mutate.test.ts.',
  'src/operator/plan/':
    'Parts of comparing two sets: test/operator/plan/compare-sources.test.ts and test/operator/plan/reformat.test.ts.',
  'src/mapping/rules/': 'The examples of every rule in docs/rules: test/mapping/rules.',
  'src/cli/drift.ts':
    'Run against a whole house in test/flows/drift.test.ts; what it prints is held to docs/drift.md by test/docs/pages.test.ts.',
  'src/upstream/v1.ts': 'The sandbox speaks these types and test/conformance holds it to the specification.',

  // Code that connects rooms and is only visible as a whole.
  'src/telemetry/traces.ts': 'An interface, and what loads it: test/telemetry/sdk-traces.test.ts.',
  'src/telemetry/metric-makers.ts': 'Every metric is made by it: test/telemetry/metrics.test.ts.',
  'src/cluster/':
    'Real processes against one v1: test/crash/workers.test.ts; the messages and the guards by themselves in test/cluster.',
  'src/around.ts': 'Opened by every test in test/flows.',
  'src/door.ts': 'Opened by every test in test/flows.',
  'src/main.ts': 'Opened by every test in test/flows.',
  'src/sandbox/': 'A whole v1 behind a socket: test/conformance and test/sandbox ask it as a caller would.',
};

/**
 * Files (or folders) without a test so far. This list may only get shorter: a file with a test leaves it, and a new file needs
 * a test, or an entry with its reason in the list above.
 */
export const NOT_TESTED_YET: readonly string[] = [];
