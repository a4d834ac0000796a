// The context in which jest runs a suite: Node's, without work that each suite of a process would repeat.
const { AsyncLocalStorage } = require('node:async_hooks');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const { compileFunction } = vm;
const keptOf = new Map();

vm.compileFunction = (source, parameters, options) => {
  const { filename, parsingContext } = options;
  if (parsingContext === undefined) return compileFunction(source, parameters, options);
  if (/\/node_modules\/fast-check\//.test(filename)) return (module) => (module.exports = require(filename));
  if (filename.endsWith('.test.ts') || source.includes('import(')) return compileFunction(source, parameters, options);
  let kept = keptOf.get(filename);
  if (kept?.source !== source) {
    kept = { source, script: new vm.Script(`(function (${parameters.join(', ')}) {${source}\n})`, { filename }) };
    keptOf.set(filename, kept);
  }
  return kept.script.runInContext(parsingContext);
};

const used = new Set();
for (const name of ['run', 'enterWith']) {
  const whole = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...given) {
    used.add(this);
    return whole.apply(this, given);
  };
}

module.exports = class extends TestEnvironment {
  async teardown() {
    await super.teardown();
    for (const storage of used) storage.disable();
    used.clear();
  }
};
