// Runs every curl command of the README and of docs/replies.md against a running gateway and holds its reply to the printed one:
//   node scripts/try-readme.mjs [address] [--write]
// The README prints some fields of each reply, docs/replies.md all of them. Values that differ from run to run (times, ids, balances)
// must only be of the same type. With --write the pages get the replies as they are. For a gateway with an embedded sandbox.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const ADDRESS_SHOWN = 'http://127.0.0.1:8080';
const WIDTH = 116;
/** A command, and the reply that follows it. */
const EXAMPLE = /```sh\n(curl [\s\S]*?)\n```\n\n```json\n([\s\S]*?)\n```/g;
const VARYING = /date|bal|wallet$|^(?:id|ident|transid|reference|transaction_ref)$/;
const OWN_REQUEST_ID = /^CG[0-9A-Z]{26}$/;

const args = process.argv.slice(2);
const address = args.find((arg) => !arg.startsWith('--')) ?? ADDRESS_SHOWN;
const PAGES = [
  { file: 'README.md', isWhole: false },
  { file: 'docs/replies.md', isWhole: true },
];

function reply(command) {
  const { stdout, stderr, status } = spawnSync('bash', ['-c', command.replaceAll(ADDRESS_SHOWN, address)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`curl ended with ${status}: ${stderr || stdout}`);
  return JSON.parse(stdout);
}

/** One object, its fields side by side. */
function packed(fields) {
  const lines = [''];
  for (const [index, [name, value]] of Object.entries(fields).entries()) {
    const text = `${JSON.stringify(name)}: ${JSON.stringify(value)}${index < Object.keys(fields).length - 1 ? ',' : ''}`;
    const line = lines.at(-1);
    if (line !== '' && line.length + text.length + 3 > WIDTH) lines.push(text);
    else lines[lines.length - 1] = line === '' ? text : `${line} ${text}`;
  }
  return `{\n${lines.map((line) => `  ${line}`).join('\n')}\n}`;
}

const isLike = (name, value, printed) =>
  VARYING.test(name) || (OWN_REQUEST_ID.test(printed) && OWN_REQUEST_ID.test(value))
    ? typeof value === typeof printed
    : JSON.stringify(value) === JSON.stringify(printed);

function differences(told, printed, isWhole) {
  const names = [...new Set([...(isWhole ? Object.keys(told) : []), ...Object.keys(printed)])];
  return names
    .filter((name) => !(name in told) || !(name in printed) || !isLike(name, told[name], printed[name]))
    .map((name) => `  ${name}: printed is ${JSON.stringify(printed[name])}, the reply has ${JSON.stringify(told[name])}`);
}

function tryPage({ file, isWhole }) {
  const page = readFileSync(join(root, file), 'utf8');
  const examples = [...page.matchAll(EXAMPLE)];
  let text = page;
  for (const [whole, command, printedText] of examples) {
    const told = reply(command);
    const printed = JSON.parse(printedText);
    const wrong = differences(told, printed, isWhole);
    console.log(`${wrong.length === 0 ? 'ok' : 'WRONG'}  ${file}  ${told.status}  ${command.split(' ')[2]}`);
    if (wrong.length > 0) console.log(wrong.join('\n'));
    if (wrong.length > 0 && !args.includes('--write')) process.exitCode = 1;
    const shown = isWhole ? told : Object.fromEntries(Object.keys(printed).map((name) => [name, told[name]]));
    text = text.replace(whole, () => whole.replace(printedText, () => packed(shown)));
  }
  if (args.includes('--write')) writeFileSync(join(root, file), text);
  if (examples.length === 0) throw new Error(`${file} shows no command with its reply.`);
}

for (const page of PAGES) tryPage(page);
