import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { counted } from '../domain/shown-words';
import type { MaskedField, RecordedRequest, Recordings } from '../domain/recorded-request';
import { parseCount, parseDuration, parseName } from './parse-options';
import { listenForStop, print, readConfig, textOfLines } from './process';
import { askAdmin, askAdminOrThrow } from './running-gateway';
import type { Config } from '../config';

const HELP = `
Names of fields and headers are shown, and of values the kind and the length; of numbers with eight digits and more the last two
digits too. Nothing is written to disk: the running gateway keeps the requests in memory until the command ends.

Exit codes: 0 recorded, 1 the gateway cannot be asked or knows no such caller, 2 bad usage.

Examples:
  compat-gateway record --caller Ada --for 1h
  compat-gateway record --caller 0f3a…e1 --for 10m --json > ada.jsonl`;

const LOOK_EVERY_MS = 500;

interface Options {
  readonly caller: string;
  readonly for: number;
  readonly max: number;
  readonly json?: true;
}

/** `compat-gateway record`: shows the requests and replies of one caller as they happen, masked. */
export function recordCommand(): Command {
  return new Command('record')
    .description('Records the masked requests of one caller of the running gateway, and prints them as they come.')
    .requiredOption('--caller <name>', 'whose: the title in callers.yaml, or the fingerprint of the key', parseName(200))
    .addOption(
      new Option('--for <duration>', 'how long, such as 90s, 10m or 1h').argParser(parseDuration).default(600_000, '10m'),
    )
    .option('--max <count>', 'end after so many requests', parseCount(10_000), 500)
    .option('--json', 'print one JSON object for each request')
    .addHelpText('after', HELP)
    .action(record);
}

async function record({ caller, for: forMs, max, json }: Options): Promise<void> {
  const { config } = readConfig();
  const begun = await askAdminOrThrow(config, 'POST', '/record', { caller, for_ms: forMs, max });
  const fingerprint = String(begun['fingerprint']);
  const stop = listenForStop();
  let isStopped = false;
  void stop.asked.then(() => (isStopped = true));
  let seen = 0;
  for (let isOver = false; !isOver && !isStopped;) {
    await sleep(LOOK_EVERY_MS);
    const read = await readRecording(config, fingerprint, seen);
    isOver = read.isOver;
    for (const one of read.requests) print(json === true ? JSON.stringify(one) : describeRecorded(one, config.timeZone));
    seen += read.requests.length;
  }
  stop.forget();
  await askAdmin(config, 'POST', '/record/stop', { caller: fingerprint });
  if (json !== true) print(`${counted(seen, 'request')}.`);
}

type ReadRecording = NonNullable<ReturnType<Recordings['read']>>;

async function readRecording(config: Config, fingerprint: string, after: number): Promise<ReadRecording> {
  return (await askAdminOrThrow(config, 'GET', `/record/${fingerprint}?after=${after}`)) as unknown as ReadRecording;
}

/** Describes one request in a few lines: the request, how it was read, and the reply. */
function describeRecorded(recorded: RecordedRequest, timeZone: string): string {
  const { atMs, durationMs, method, path, operation, format, reason, family, outcome, refusedAs, detail, requestId } = recorded;
  const time = new Date(atMs).toLocaleTimeString('en-GB', { timeZone });
  const { httpStatus, words, fields } = recorded.told;
  const read = [operation ?? 'no operation', format === undefined ? undefined : `format ${format} (${reason ?? 'no reason'})`];
  return textOfLines([
    `${time}  ${method} ${path}  ${outcome}${refusedAs === undefined ? '' : ` (${refusedAs})`}  ${durationMs} ms`,
    `  sent     ${describeFields(recorded.fields)}`,
    `  headers  ${recorded.headers.join(', ')}`,
    `  read as  ${[...read, family === undefined ? undefined : `family ${family}`].filter((one) => one !== undefined).join(', ')}`,
    ...(requestId === undefined ? [] : [`  id       ${requestId}`]),
    ...(detail === undefined ? [] : [`  because  ${detail}`]),
    `  told     HTTP ${httpStatus}${Object.entries(words)
      .map(([name, word]) => `, ${name}: ${word}`)
      .join('')}; ${describeFields(fields)}`,
  ]);
}

function describeFields(fields: readonly MaskedField[]): string {
  if (fields.length === 0) return 'no fields';
  return fields
    .map(({ name, place, kind, length, endsWith }) => {
      const size = length === undefined ? '' : `(${length})`;
      return `${place === 'query' ? '?' : ''}${name}: ${kind}${size}${endsWith === undefined ? '' : ` …${endsWith}`}`;
    })
    .join(', ');
}
