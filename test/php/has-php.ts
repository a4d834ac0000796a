/** Whether real PHP with cURL can be asked on this machine; tests that need it are left out by name otherwise. */
import { spawnSync } from 'node:child_process';

const probe = spawnSync('php', ['-r', 'exit(function_exists("curl_init") ? 0 : 1);'], { stdio: 'ignore' });

export const hasPhp = probe.status === 0;
