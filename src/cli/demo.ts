import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { stringify } from 'yaml';
import type { Config } from '../config';
import { Secret } from '../domain/credentials';
import { counted } from '../domain/shown-words';
import { Reseller } from './demo/reseller';
import { chooseWeighted, loadShop, type Shop } from './demo/shop';
import { openKeyring } from './fingerprint';
import { parseDuration } from './parse-options';
import { listenForStop, print, readConfig } from './process';
import { askAdmin, askRunning, messageOf } from './running-gateway';

const HELP = `
Six resellers sell airtime, data, cable, electricity, exams, cards and SMS as their scripts do: declined and pending orders,
lost replies, wrong inputs, wrong keys, repeats and questions among them. It only sells where the running gateway's upstream
is the embedded sandbox.

Exit codes: 0 they have sold, 1 there is nothing to sell through, 2 bad usage.

Examples:
  compat-gateway demo
  compat-gateway demo --for 1m --rate 1
  compat-gateway demo --names`;

/** Without SANDBOX_RELAXED the sandbox takes 30 purchases of an account per minute. Some are the gateway's own repetitions. */
const EACH_MAX = 22;
const RATE_MAX = 200;

interface Options {
  readonly for: number;
  readonly rate: number;
  readonly names?: true;
}

/** `compat-gateway demo`: runs a simulated shop, so that the pages and metrics of the gateway have something to show. */
export function demoCommand(): Command {
  return new Command('demo')
    .description('Sells through the running gateway on its sandbox, as six resellers do.')
    .addOption(
      new Option('--for <duration>', 'how long, such as 30s, 5m or 1h')
        .argParser(parseDuration)
        .default(parseDuration('5m'), '5m'),
    )
    .option('--rate <count>', 'requests per second, of all resellers together', parseRate, 2)
    .option('--names', 'sell nothing; print the titles of their keys for callers.yaml')
    .addHelpText('after', HELP)
    .action(demo);
}

async function demo({ for: forMs, rate, names }: Options): Promise<void> {
  const { config } = readConfig();
  const shop = loadShop();
  if (names === true) return void process.stdout.write(nameKeys(config, shop));
  const running = await askRunning(config);
  if (running.sandbox === undefined)
    throw new Error(
      `The running gateway sells through ${running.upstreamUrl}, which is not its sandbox: the demo would buy there. Start a gateway without UPSTREAM_URL, with a DATA_DIR of its own.`,
    );
  const { isRelaxed } = running.sandbox;
  const rateMax = (shop.resellers.length * EACH_MAX) / 60;
  if (!isRelaxed && rate > rateMax)
    throw new Error(
      `The sandbox takes 30 purchases of a reseller in a minute, as v1 does: --rate is at most ${rateMax.toFixed(1)}. SANDBOX_RELAXED=1 for the gateway lifts that.`,
    );
  await fillWallets(config, shop);
  const stop = listenForStop();
  const stopping = new AbortController();
  void stop.asked.then(() => stopping.abort());
  const { publicUrl } = running;
  print(`${counted(shop.resellers.length, 'reseller')} sell through ${publicUrl}. Ctrl-C ends it.`);
  const resellers = await runDemo(shop, { publicUrl, forMs, rate, random: Math.random, stopped: stopping.signal });
  stop.forget();
  printEnds(resellers);
}

/** Resets the wallets: one that an earlier demo has emptied would sell nothing. */
async function fillWallets(config: Config, { resellers }: Shop): Promise<void> {
  for (const { key, title } of resellers) {
    const { status, body } = await askAdmin(config, 'POST', '/sandbox/wallets/reset', { api_key: key });
    if (status !== 200) throw new Error(`The sandbox has no account of ${title}: ${messageOf(body)}`);
  }
}

/** Prints the entries of the demo's keys for callers.yaml. The shipped file cannot have them: a fingerprint depends on the gateway's secret. */
function nameKeys(config: Config, { resellers }: Shop): string {
  const keyring = openKeyring(config);
  const keys = Object.fromEntries(
    resellers.map(({ key, title, script }) => [keyring.fingerprint(new Secret(key)), { title, note: `Demo: ${script}` }]),
  );
  return `# In mappings/callers.yaml, in the place of \`keys: {}\`; then \`compat-gateway reload\`.\n${stringify({ keys }).replace(/^(?=.)/gm, '  ')}`;
}

interface DemoPlan {
  readonly publicUrl: string;
  readonly forMs: number;
  /** Visits per second, over all resellers. */
  readonly rate: number;
  readonly random: () => number;
  /** Ends the demo early. */
  readonly stopped: AbortSignal;
}

/** How long the demo waits at its end for visits under way. The gateway holds no script longer. */
const LAST_REPLIES_MS = 45_000;

/** The resellers visit in turn. Returns them at the end: they know what became of their orders. */
export async function runDemo(shop: Shop, { publicUrl, forMs, rate, random, stopped }: DemoPlan): Promise<readonly Reseller[]> {
  const run = Date.now().toString(36).slice(-6);
  const resellers = shop.resellers.map((script) => new Reseller(shop, script, { url: publicUrl, run, random }));
  const visits = Object.entries(shop.visits) as [keyof Shop['visits'], number][];
  const underWay = new Set<Promise<void>>();
  const beganMs = performance.now();
  for (let count = 0; ; count += 1) {
    const waitMs = beganMs + (count * 1_000) / rate - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: stopped }).catch(() => undefined);
    if (stopped.aborted || performance.now() - beganMs >= forMs) break;
    const visit = resellers[count % resellers.length]!.visit(chooseWeighted(visits, random));
    underWay.add(visit);
    void visit.finally(() => underWay.delete(visit));
  }
  await Promise.race([Promise.allSettled(underWay), sleep(LAST_REPLIES_MS, undefined, { ref: false })]);
  return resellers;
}

function printEnds(resellers: readonly Reseller[]): void {
  const width = Math.max(...resellers.map(({ script }) => script.title.length));
  print('');
  for (const { script, orders, refused } of resellers) {
    const count = (wanted: string): number => orders.filter(({ conclusion }) => conclusion === wanted).length;
    print(
      `${script.title.padEnd(width)}  ${count('sold')} sold, ${count('failed')} failed, ${count('waiting')} open, ${refused} refused`,
    );
  }
}

function parseRate(text: string): number {
  const rate = /^\d{1,3}(?:\.\d)?$/.test(text) ? Number(text) : 0;
  if (!(rate > 0 && rate <= RATE_MAX)) throw new InvalidArgumentError(`expected a number from 0.1 to ${RATE_MAX}.`);
  return rate;
}
