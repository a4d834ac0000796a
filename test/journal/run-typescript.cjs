// Lets a child process run the sources as they stand: `node -r ./test/journal/run-typescript.cjs file.ts`.
const { transformFileSync } = require('@swc/core');

require.extensions['.ts'] = (module, file) => {
  const { code } = transformFileSync(file, {
    configFile: false,
    swcrc: false,
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  module._compile(code, file);
};
