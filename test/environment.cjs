// Where jest runs a suite: in the context of its process, beside the suites before it. Jest would make a context of its own for each suite, run every
// file of the product and its libraries in it again, and pay for each use of a global name ten times what it costs here (decision 0031).
const { AsyncLocalStorage } = require('node:async_hooks');
const { chmodSync, mkdtempSync, rmSync } = require('node:fs');
const nodeModule = require('node:module');
const { tmpdir } = require('node:os');
const { join, relative, sep } = require('node:path');
const vm = require('node:vm');
const { ModuleMocker } = require('jest-mock');
const { mapOf } = require('./journal/run-typescript.cjs');

const SRC = join(__dirname, '..', 'src') + sep;
const TMPDIR = tmpdir();
const { env } = process;
/** What jest takes for the context of a suite. Nothing runs in it. */
const CONTEXT = vm.createContext();

// The product and its libraries run once for a process; tests, what they import from test/, and the part of jest that keeps the state of a suite run for each suite.
const runsOnce = (file) =>
  file.startsWith(SRC) || (file.includes('/node_modules/') && !file.includes('/node_modules/jest-circus/'));
const { compileFunction } = vm;
const compiled = new Map();
vm.compileFunction = (source, parameters, { parsingContext, ...options }) => {
  if (parsingContext !== CONTEXT) return compileFunction(source, parameters, { parsingContext, ...options });
  const { filename } = options;
  if (runsOnce(filename)) return (module) => (module.exports = require(filename));
  // `import()` loads for the suite that compiled it.
  if (filename.endsWith('.test.ts') || source.includes('import(')) return compileFunction(source, parameters, options);
  if (compiled.get(filename)?.source !== source)
    compiled.set(filename, { source, run: compileFunction(source, parameters, options) });
  return compiled.get(filename).run;
};

// What the product keeps of a check of its mappings is kept for these sources.
const { _resolveFilename: resolve } = nodeModule;
nodeModule._resolveFilename = function (request, ...given) {
  return /^\.\.?\/start\/one-file$/.test(request) ? join(__dirname, 'kept-values.ts') : resolve.call(this, request, ...given);
};

// Jest maps the lines of the files that it has transformed. By a relative path it does not take a mapped frame for one of those.
const maps = new Map();
function inSource(frame) {
  const file = frame.getFileName();
  if (typeof file !== 'string' || !file.startsWith(SRC)) return frame;
  if (!maps.has(file)) maps.set(file, new nodeModule.SourceMap(JSON.parse(mapOf(file))));
  const { originalLine, originalColumn } = maps.get(file).findEntry(frame.getLineNumber() - 1, frame.getColumnNumber() - 1);
  if (originalLine === undefined) return frame;
  const mapped = {};
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(frame))) mapped[name] = (...given) => frame[name](...given);
  mapped.getFileName = mapped.getScriptNameOrSourceURL = () => relative(process.cwd(), file);
  mapped.getLineNumber = () => originalLine + 1;
  mapped.getColumnNumber = () => originalColumn + 1;
  // Jest reads the methods from the prototype.
  return Object.create(mapped);
}

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

const LISTENED = ['uncaughtException', 'unhandledRejection', 'exit', 'SIGTERM', 'SIGINT', 'SIGHUP', 'warning'];
const listeners = () => LISTENED.map((name) => [name, process.listeners(name)]);

module.exports = class {
  constructor({ globalConfig }) {
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.before = {
      console: globalThis.console,
      exit: process.exit,
      cwd: process.cwd(),
      env: { ...process.env },
      listeners: listeners(),
    };
    this.names = new Set(Object.getOwnPropertyNames(globalThis));
    // What a suite and its programs leave in the folder for temporary files goes with it. A database that may not run as root reads in there as well.
    this.folder = mkdtempSync(join(TMPDIR, 'suite-'));
    chmodSync(this.folder, 0o711);
    env.TMPDIR = this.folder;
    if (globalConfig.watch || globalConfig.watchAll)
      for (const file of Object.keys(require.cache)) if (file.startsWith(SRC)) delete require.cache[file];
  }

  async setup() {
    const { prepareStackTrace } = Error;
    Error.prepareStackTrace = (error, frames) => prepareStackTrace(error, frames.map(inSource));
  }

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    for (const name of Object.getOwnPropertyNames(globalThis)) if (!this.names.has(name)) delete globalThis[name];
    // The runner of the next suite would tell this one what happens in it.
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    const { console, exit, cwd, env: values } = this.before;
    globalThis.console = console;
    process.exit = exit;
    process.chdir(cwd);
    process.env = env;
    for (const name of Object.keys(env)) if (!(name in values)) delete env[name];
    Object.assign(env, values);
    for (const [name, before] of this.before.listeners)
      for (const listener of process.listeners(name)) if (!before.includes(listener)) process.off(name, listener);
    for (const storage of used) storage.disable();
    used.clear();
    // A program that has been killed may still be writing.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return CONTEXT;
  }
};
