// `npm start`: installs and builds what is missing, then serves in this very process.
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { build, install, root } from './setup.mjs';

install();
build();
process.argv.splice(2, 0, 'serve');
createRequire(import.meta.url)(join(root, 'dist', 'cli', 'main.js'));
