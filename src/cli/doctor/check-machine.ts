/** Checks what the gateway needs of the machine: the Node version, open files, a time zone. */
import { readOpenFilesLimit } from '../../start/descriptors';
import { mend, note, well, type Check, type Finding } from './finding';

const NODE_MIN: readonly [number, number] = [20, 19];
const NODE_KEPT = 22;
const FILES_MIN = 1_024;
const FILES_GOOD = 16_384;

export const checkMachine: Check = ({ config, now }) => [
  judgeNode(process.versions.node),
  judgeOpenFiles(readOpenFilesLimit()),
  well(`Times are told in ${config.timeZone}: ${new Date(now()).toLocaleString('en-GB', { timeZone: config.timeZone })}.`),
];

export function judgeNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]))
    return mend(`Node is ${version}.`, 'This program is not tested on that version.', 'Install Node 24.');
  if (major < NODE_KEPT)
    return note(`Node is ${version}.`, 'Node 20 gets no more fixes upstream.', 'Install Node 24, as the image has.');
  return well(`Node is ${version}.`);
}

export function judgeOpenFiles(limit: number): Finding {
  const what = `The limit of open files is ${limit}.`;
  const why = 'Each script that waits and each call to v1 is an open file; beyond the limit connections are refused.';
  const todo = 'Raise the limit: LimitNOFILE=65536 in the systemd unit, --ulimit nofile=65536 for docker.';
  if (limit < FILES_MIN) return mend(what, why, todo);
  return limit < FILES_GOOD
    ? note(what, why, todo)
    : well(limit === Number.MAX_SAFE_INTEGER ? 'Open files are not limited.' : what);
}
