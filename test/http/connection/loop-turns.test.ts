import { KnownAddresses, LoopTurns } from '../../../src/http/connection/loop-turns';
import { until } from '../../until';

test('an address that has sold is known, and so are its neighbours in the same IPv6 network', () => {
  const known = new KnownAddresses();
  expect(known.isEmpty).toBe(true);
  known.add('2001:db8:1:2::7');
  known.add('203.0.113.7');
  expect(known.isEmpty).toBe(false);
  expect(['2001:db8:1:2::8', '2001:db8:1:2::/64', '203.0.113.7'].map((address) => known.has(address))).toEqual([
    true,
    true,
    true,
  ]);
  expect(['2001:db8:1:3::7', '203.0.113.8'].map((address) => known.has(address))).toEqual([false, false]);
});

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function openTurns() {
  const known = new KnownAddresses();
  known.add('seller');
  const turns = new LoopTurns({ atOnceMax: 2, known });
  const begun: string[] = [];
  const ask = (address: string, index: number) => turns.begin(address, () => void begun.push(`${address}${index}`));
  return { turns, begun, ask };
}

beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(1));
afterEach(() => jest.restoreAllMocks());

describe('turns of the event loop', () => {
  test('of unknown addresses one request begins at once, the others in later turns, the addresses in rotation', async () => {
    const { ask, begun } = openTurns();
    for (let index = 0; index < 4; index += 1) ask('a', index);
    expect(begun).toEqual(['a0']);
    ask('b', 0);
    await until(() => begun.length === 5);
    expect(begun).toEqual(['a0', 'a1', 'b0', 'a2', 'a3']);
  });

  test('where no address has sold yet, a few unknown ones begin at once', async () => {
    const turns = new LoopTurns({ atOnceMax: 2, known: new KnownAddresses() });
    const begun: string[] = [];
    for (const name of ['a0', 'a1', 'a2', 'b0', 'a3']) turns.begin(name.slice(0, 1), () => void begun.push(name));
    expect(begun).toEqual(['a0', 'a1']);
    await turnOfTheLoop();
    expect(begun.slice(2)).toEqual(['a2', 'b0']);
    await turnOfTheLoop();
    expect(begun.slice(4)).toEqual(['a3']);
  });

  test('of known addresses a few requests begin at once, before all unknown ones', async () => {
    const { ask, begun } = openTurns();
    for (let index = 0; index < 3; index += 1) ask('a', index);
    for (let index = 0; index < 4; index += 1) ask('seller', index);
    expect(begun).toEqual(['a0', 'seller0']);
    await until(() => begun.length === 7);
    expect(begun.filter((name) => name.startsWith('seller'))).toEqual(['seller0', 'seller1', 'seller2', 'seller3']);
    expect(begun.indexOf('seller2')).toBeLessThan(begun.indexOf('a2'));
  });

  test('requests that wait when the first sale is made still begin', async () => {
    const known = new KnownAddresses();
    const turns = new LoopTurns({ atOnceMax: 1, known });
    const begun: string[] = [];
    for (const name of ['a0', 'a1', 'a2']) turns.begin('a', () => void begun.push(name));
    known.add('seller');
    await until(() => begun.length === 3);
    expect(begun).toEqual(['a0', 'a1', 'a2']);
  });

  test('requests of an address that becomes known while they wait no longer wait with strangers', async () => {
    const known = new KnownAddresses();
    known.add('seller');
    const turns = new LoopTurns({ atOnceMax: 2, known });
    const begun: string[] = [];
    const ask = (name: string) =>
      turns.begin(name.slice(0, 1), () => {
        begun.push(name);
        if (name === 'a1') leave();
      });
    for (let index = 0; index < 20; index += 1) ask(`a${index}`);
    const leave: () => void = ask('a20');
    for (let index = 0; index < 20; index += 1) ask(`b${index}`);
    known.add('a');
    await until(() => begun.length === 40);
    expect(begun.indexOf('a19')).toBeLessThan(begun.indexOf('b10'));
    expect(begun.filter((name) => name.startsWith('a'))).toEqual(Array.from({ length: 20 }, (_, index) => `a${index}`));
    expect(begun.filter((name) => name.startsWith('b'))).toEqual(Array.from({ length: 20 }, (_, index) => `b${index}`));
  });

  test('a caller that leaves gives its turn to the next', async () => {
    const { ask, begun } = openTurns();
    ask('a', 0);
    const leave = ask('a', 1);
    ask('b', 0);
    leave();
    leave();
    await until(() => begun.length === 2);
    await turnOfTheLoop();
    expect(begun).toEqual(['a0', 'b0']);
  });

  test('a request that waits for its turn never begins at once, and a moment later a few do again', async () => {
    const turns = new LoopTurns({ atOnceMax: 1, known: new KnownAddresses() });
    const begun: string[] = [];
    turns.later('a', () => void begun.push('later'));
    expect(begun).toEqual([]);
    await turnOfTheLoop();
    turns.begin('a', () => void begun.push('now'));
    jest.spyOn(Date, 'now').mockReturnValue(2);
    turns.begin('a', () => void begun.push('then'));
    expect(begun).toEqual(['later', 'now', 'then']);
  });
});
