/** Runs one of our PHP or Node scripts as a reseller's server would, and reads the line that it prints for its customer. */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const FOLDER = join(__dirname, 'scripts');
/** Longer than the longest hold. */
const TIME_LIMIT_MS = 60_000;

export interface ScriptCall {
  readonly script: string;
  readonly service: string;
  readonly address: string;
  readonly key: string;
  readonly order: Readonly<Record<string, unknown>>;
}

export interface ScriptResult {
  // The output differs from script to script.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly told: any;
  /** PHP's warnings, which show a field that the script reads and the reply lacks. */
  readonly warnings: string;
  readonly tookMs: number;
}

export function runScript({ script, service, address, key, order }: ScriptCall): Promise<ScriptResult> {
  const startedAtMs = Date.now();
  const isNode = script.endsWith('.mjs');
  const args = [join(FOLDER, isNode ? script : `${script}.php`), address, key, service, JSON.stringify(order)];
  return new Promise((resolve, reject) => {
    const child = spawn(isNode ? process.execPath : 'php', args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: TIME_LIMIT_MS });
    let output = '';
    let warnings = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (warnings += text));
    child.on('error', reject);
    child.on('close', (code) => {
      try {
        resolve({ told: JSON.parse(output), warnings, tookMs: Date.now() - startedAtMs });
      } catch {
        reject(new Error(`${script} ${service} ended with ${code} and printed: ${output}${warnings}`));
      }
    });
  });
}

const probe = spawnSync('php', ['-r', 'exit(function_exists("curl_init") ? 0 : 1);'], { stdio: 'ignore' });

export const hasPhp = probe.status === 0;
