// The context in which jest runs a suite: Node's, without the work that each suite of a process would do again.
const { AsyncLocalStorage } = require('node:async_hooks');
const { chmodSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

// Jest compiles every file for every suite. A script is compiled once for a process and runs in the context of each suite: a sixth of what quick suites cost.
const { compileFunction } = vm;
const keptOf = new Map();

vm.compileFunction = (source, parameters, options) => {
  const { filename, parsingContext } = options;
  if (parsingContext === undefined) return compileFunction(source, parameters, options);
  // Its tables of characters take a second to make. It keeps nothing of a suite.
  if (/\/node_modules\/fast-check\//.test(filename)) return (module) => (module.exports = require(filename));
  // `import()` loads into the context of whoever compiled it.
  if (filename.endsWith('.test.ts') || source.includes('import(')) return compileFunction(source, parameters, options);
  let kept = keptOf.get(filename);
  if (kept?.source !== source) {
    kept = { source, script: new vm.Script(`(function (${parameters.join(', ')}) {${source}\n})`, { filename }) };
    keptOf.set(filename, kept);
  }
  return kept.script.runInContext(parsingContext);
};

// Jest leaves its AsyncLocalStorage of each suite switched on, and before Node 24 every promise of later suites hands on what all of them hold.
// Switched off after their suite, the quick tests take a fifth less.
const used = new Set();
for (const name of ['run', 'enterWith']) {
  const whole = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...given) {
    used.add(this);
    return whole.apply(this, given);
  };
}

const TMPDIR = tmpdir();

module.exports = class extends TestEnvironment {
  // What a suite and its programs leave in the folder for temporary files goes with it. A database that may not run as root reads in there as well.
  constructor(...given) {
    const folder = mkdtempSync(join(TMPDIR, 'suite-'));
    chmodSync(folder, 0o711);
    process.env.TMPDIR = folder;
    super(...given);
    this.folder = folder;
  }

  async teardown() {
    await super.teardown();
    // A program that has been killed may still be writing.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    for (const storage of used) storage.disable();
    used.clear();
  }
};
