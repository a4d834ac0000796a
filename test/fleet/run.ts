// `npm run fleet -- [port] [v1's address]`: a fleet to try things on, before a sandbox of its own unless an address is given. Ctrl+C ends it.
import { openSandbox } from '../../src/sandbox/sandbox';
import { startFleet } from './start-fleet';

async function run(port = '8080', upstreamUrl?: string): Promise<void> {
  const sandbox = upstreamUrl === undefined ? await openSandbox({}) : undefined;
  const v1 = upstreamUrl ?? (await sandbox!.listen(0)).url;
  const fleet = await startFleet({ upstreamUrl: v1, port: Number(port) });
  console.log(`Scripts ask ${fleet.url} (HAProxy). v1 is ${v1}.`);
  for (const { url, adminUrl } of fleet.gateways) console.log(`A gateway at ${url}, its admin server at ${adminUrl}.`);
  console.log(`PostgreSQL listens on port ${fleet.postgres.port}.`);
  await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  await fleet.end();
  await sandbox?.close();
}

run(...process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
