// Lets a child process run the sources as they stand: `node -r ./test/journal/run-typescript.cjs file.ts`. What a text was transformed to is
// kept by that text, and from Node 22.8 on also what it was compiled to: of a hundred starts one does the work.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const nodeModule = require('node:module');
const { join } = require('node:path');
const { version } = require('@swc/core/package.json');

const OPTIONS = {
  configFile: false,
  swcrc: false,
  jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
  module: { type: 'commonjs' },
};
const BY = JSON.stringify([version, OPTIONS]);
const KEPT = join(__dirname, '..', '..', 'node_modules', '.cache', 'compat-gateway', 'typescript');
mkdirSync(KEPT, { recursive: true });
nodeModule.enableCompileCache?.(join(KEPT, 'compiled'));

require.extensions['.ts'] = (module, file) => {
  const text = readFileSync(file, 'utf8');
  const kept = join(KEPT, `${createHash('sha256').update(BY).update(text).digest('hex')}.js`);
  module._compile(read(kept) ?? transform(text, kept), file);
};

function read(kept) {
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    return undefined;
  }
}

const transformed = (text, more) => require('@swc/core').transformSync(text, { ...OPTIONS, ...more });

/** The source map of a file, as text. */
exports.mapOf = (file) => transformed(readFileSync(file, 'utf8'), { sourceMaps: true }).map;

function transform(text, kept) {
  const { code } = transformed(text);
  // Other processes read it meanwhile.
  const draft = `${kept}.${process.pid}`;
  writeFileSync(draft, code);
  renameSync(draft, kept);
  return code;
}
