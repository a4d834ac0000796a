// `npm run conformance`: the v1 suite, against V1_URL (with V1_KEY and V1_PIN) or against a sandbox of its own.
import { install, run, tool } from './setup.mjs';

install();
const [node, jest] = tool('jest/bin/jest.js');
// What only a sandbox can be asked to do (move its clock, lock a PIN) is left out against a service.
const folder = process.env.V1_URL === undefined ? 'test/conformance' : 'test/conformance/portable';
run(node, [jest, '--runInBand', '--verbose', folder]);
