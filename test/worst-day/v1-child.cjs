// v1 as a process of its own, for `v1-process.ts`: `v1-child.cjs <its data folder> <folder of accounts and prices> <port> <by how much its clock is behind, ms>`.
const { createRealClock } = require('../../dist/sandbox/clock');
const { openSandbox } = require('../../dist/sandbox/sandbox');

// Orders that end later do so after a second instead of five.
const HASTE = 5;

async function main([dataDir, configDir, port, behindMs]) {
  const real = createRealClock();
  const clock = {
    ...real,
    now: () => real.now() - Number(behindMs),
    setTimer: (delayMs, fire) => real.setTimer(delayMs / HASTE, fire),
  };
  const { admin, listen } = await openSandbox({ dataDir, configDir, clock });
  await listen(Number(port));
  process.on('message', () => process.send({ orders: admin.countOrders(), faults: admin.checkLedger().faults }));
  // A test that is killed leaves no v1 behind.
  process.on('disconnect', () => process.exit());
  process.send({ isUp: true });
}

void main(process.argv.slice(2));
