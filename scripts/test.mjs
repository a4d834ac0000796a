// `npm test`: installs and builds what is missing, then runs every test that needs no server of its own.
import { build, install, run, tool } from './setup.mjs';

install();
build();
const [node, jest] = tool('jest/bin/jest.js');
run(node, [jest, ...process.argv.slice(2)]);
