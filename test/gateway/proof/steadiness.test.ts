import { createSteadiness } from '../../../src/gateway/proof/steadiness';
import { createVirtualClock } from '../../domain/virtual-clock';

function openWatch() {
  const clock = createVirtualClock();
  let errorMs = 0;
  const steadiness = createSteadiness({ ...clock, now: () => clock.now() + errorMs });
  steadiness.steadyForMs();
  return { clock, steadiness, set: (ms: number) => (errorMs += ms) };
}

test('a clock that runs evenly is steady since the process began to watch', async () => {
  const { clock, steadiness } = openWatch();
  await clock.advance(60_000);
  expect(steadiness.steadyForMs()).toBe(60_000);
});

test.each([
  ['ahead by a day', 86_400_000],
  ['back by a day', -86_400_000],
  ['ahead by three seconds', 3_000],
])('a clock that is set %s is steady again only from then on', async (_title, ms) => {
  const { clock, steadiness, set } = openWatch();
  await clock.advance(60_000);
  set(ms);
  expect(steadiness.steadyForMs()).toBe(0);
  await clock.advance(5_000);
  expect(steadiness.steadyForMs()).toBe(5_000);
});

test('a clock that is disciplined little by little stays steady', async () => {
  const { clock, steadiness, set } = openWatch();
  for (let minute = 0; minute < 60; minute += 1) {
    await clock.advance(60_000);
    set(-500);
    steadiness.steadyForMs();
  }
  expect(steadiness.steadyForMs()).toBe(3_600_000);
});
