import cluster from 'node:cluster';
import { isatty } from 'node:tty';
import { Command } from 'commander';
import { startPrimary } from '../cluster/primary';
import { serveAsWorker, type OpenLog } from '../cluster/worker';
import type { Config } from '../config';
import { startService, type Service } from '../main';
import { createLog, errorFields, type Log } from '../telemetry/log';
import { prettyOutput, createFileOutput, createOutput, type Output, type OutputEvents } from '../telemetry/output';
import { listenForStop, misspeltSettings, readConfig } from './process';

const LEAVE_MS = 2_000;

/** `compat-gateway serve`: runs the gateway, with the embedded sandbox if no upstream is configured. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('Serves the gateway, with an embedded v1 sandbox unless UPSTREAM_URL is set.')
    .addHelpText(
      'after',
      `
Signals: SIGTERM serves on for DRAIN_SECONDS and then stops it once the orders under way are over, SIGINT without serving
on, SIGHUP reloads the mappings, SIGUSR2 opens LOG_FILE anew after a rotation. A second SIGTERM or SIGINT does not wait. With
WORKERS above 1 they go to the first process.

Exit codes: 0 stopped as asked, 1 it could not start, or its program was replaced and no worker is left, 2 bad usage.

Examples:
  compat-gateway serve
  UPSTREAM_URL=https://v1.example/api/v1 DATA_DIR=/var/lib/compat-gateway compat-gateway serve`,
    )
    .action(() => serve().finally(leaveSoon));
}

async function serve(): Promise<void> {
  if (cluster.isWorker) return work();
  const { config } = readConfig({ serves: true });
  const stop = listenForStop();
  const complaints = createOutput(2);
  for (const sentence of misspeltSettings()) complaints.write(`${sentence}\n`);
  const { output, log, reopen } = openLog(config, complaints);
  // Set before the service starts: without a handler either signal would end the process.
  let isReloadDue = false;
  let reload = (): void => void (isReloadDue = true);
  process.on('SIGHUP', () => reload());
  process.on('SIGUSR2', reopen);
  const starting = config.workers > 1 ? startPrimary(config, log, stop.asked) : startService(config, log, undefined, stop.asked);
  const service = await starting.catch((error: unknown) => {
    if (!stop.isAsked()) throw error;
  });
  if (service === undefined) return log.flush();
  reload = () => void service.live.reload({ cause: { by: 'signal' } });
  if (isReloadDue) reload();
  const greeting = service.sandbox === undefined ? plainGreeting(service, config) : sandboxGreeting(service, config);
  (config.logFile === undefined ? output : createOutput(1)).write(greeting);
  if (service.live.problems().length > 0) complaints.write(lastGoodWarning(service));
  await service.stop(await stop.asked);
  stop.forget();
  await log.flush();
}

/** Runs a worker. It ignores these signals, because a terminal sends them to all processes: only the primary acts on them. */
async function work(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => undefined);
  await serveAsWorker((config, worker) => openLog(config, createOutput(2), worker));
}

/** The log of this process, which is the only one or one of several. What goes wrong with it is said in `complaints`. */
function openLog(config: Config, complaints: Output, worker?: number): OpenLog & { readonly output: Output } {
  const who = worker === undefined ? '' : `Worker ${worker}: `;
  const output = openLogOutput(config, {
    onTrouble: (code) =>
      complaints.write(
        `${who}The log cannot be written (${code}). Selling goes on; lines that do not fit into memory are lost.\n`,
      ),
    isShared: config.workers > 1,
    onWell: ({ linesLost, durationMs }) => log.warn('log_written_again', { count: linesLost, durationMs }),
  });
  const log: Log = createLog(config.logLevel, output, worker);
  // Node's own warnings are written synchronously and would wait for a slow reader of standard error.
  process.removeAllListeners('warning').on('warning', (warning) => log.warn('node_warning', errorFields(warning)));
  const reopen = (): void => {
    const code = output.reopen();
    if (code !== undefined) complaints.write(`${who}LOG_FILE cannot be reopened (${code}). The log goes on in the old file.\n`);
  };
  return { output, log, reopen };
}

function openLogOutput(config: Config, events: OutputEvents): Output {
  const isTerminal = config.logFile === undefined && isatty(1);
  const output = openPlainOutput(config, events);
  const isPretty = config.logFormat === 'pretty' || (config.logFormat === 'auto' && isTerminal);
  return isPretty ? prettyOutput(output, isTerminal) : output;
}

function openPlainOutput({ logFile }: Config, events: OutputEvents): Output {
  if (logFile === undefined) return createOutput(1, events);
  try {
    return createFileOutput(logFile, events);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`LOG_FILE cannot be written: ${message}. Its folder must exist and let this user write.`, { cause: error });
  }
}

/** Ends the process although the last log lines may still wait for a full pipe. Everything else has ended by then. */
function leaveSoon(): void {
  setTimeout(() => process.exit(), LEAVE_MS).unref();
}

type GreetingFacts = Omit<Service, 'gateway'>;

function plainGreeting({ publicUrl, adminUrl, upstreamUrl }: GreetingFacts, config: Config): string {
  return `compat-gateway serves ${publicUrl} and sells through ${upstreamUrl}. Probes and metrics: ${adminUrl}\n${consoleLine(adminUrl, config)}\n`;
}

function consoleLine(adminUrl: string, { adminToken }: Config): string {
  const isOpen = adminToken === undefined ? ', open on this machine only, because ADMIN_TOKEN is not set' : '';
  return `Console: ${adminUrl}/console${isOpen}.`;
}

/** Printed in addition to the log lines, among which an operator could overlook the problems. */
function lastGoodWarning({ live }: GreetingFacts): string {
  return `The mapping files cannot be used, so the last good set is in use: ${live.current().hash}. \`compat-gateway check\` shows what to correct; then \`compat-gateway reload\`.\n`;
}

/** Shows a newcomer everything that the first sale needs. */
function sandboxGreeting({ publicUrl, adminUrl, upstreamUrl }: GreetingFacts, config: Config): string {
  return `
compat-gateway serves ${publicUrl}

  No upstream is configured: orders go to the EMBEDDED SANDBOX at ${upstreamUrl}.
  Nothing is really sold. Set UPSTREAM_URL to sell.

Three settings to paste into a reseller script:

  address   ${publicUrl}
  key       sandbox_demo:1234
  plan ids  from ${publicUrl}/api/data_plans and /api/get-cable-plan?cable=GOTV

A first sale, from another terminal, as format A sends it:

  curl -s ${publicUrl}/api/topup/ -H 'Authorization: Token sandbox_demo:1234' -H 'Content-Type: application/json' \\
    -d '{"network":"1","phone":"08031234567","amount":"100","plan_type":"VTU","bypass":false,"request-id":"first-a"}'

and as format B does:

  curl -s ${publicUrl}/api/topup/ -H 'Authorization: Token sandbox_demo:1234' -H 'Content-Type: application/json' \\
    -d '{"network":1,"mobile_number":"08031234567","amount":200,"airtime_type":"VTU","Ported_number":true}'

${consoleLine(adminUrl, config)}
A shop of resellers that sells here, to look at: compat-gateway demo (in a clone: npx compat-gateway demo)
Probes and metrics: ${adminUrl}/readyz and /metrics. Stop with Ctrl-C.

`;
}
