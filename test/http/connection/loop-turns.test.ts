import { LoopTurns } from '../../../src/http/connection/loop-turns';

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(1));
afterEach(() => jest.restoreAllMocks());

describe('turns of the event loop', () => {
  test('a few begin at once, the others in later turns, the addresses one after the other', async () => {
    const turns = new LoopTurns(2);
    const begun: string[] = [];
    const ask = (address: string, index: number): void =>
      turns.begin(
        () => address,
        () => void begun.push(`${address}${index}`),
      );
    for (let index = 0; index < 5; index += 1) ask('a', index);
    expect(begun).toEqual(['a0', 'a1']);
    ask('b', 0);
    await turnOfTheLoop();
    expect(begun).toEqual(['a0', 'a1', 'a2', 'b0']);
    ask('c', 0);
    await turnOfTheLoop();
    expect(begun.slice(4)).toEqual(['a3', 'c0']);
    await turnOfTheLoop();
    expect(begun.slice(6)).toEqual(['a4']);
  });

  test('what waits for its turn never begins at once, and in another moment a few do again', async () => {
    const turns = new LoopTurns(1);
    const begun: string[] = [];
    turns.later('a', () => void begun.push('later'));
    expect(begun).toEqual([]);
    await turnOfTheLoop();
    turns.begin(
      () => 'a',
      () => void begun.push('now'),
    );
    jest.spyOn(Date, 'now').mockReturnValue(2);
    turns.begin(
      () => 'a',
      () => void begun.push('then'),
    );
    expect(begun).toEqual(['later', 'now', 'then']);
  });
});
