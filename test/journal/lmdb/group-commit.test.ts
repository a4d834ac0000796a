import { WriteFailure } from '../../../src/journal/journal';
import { GroupCommit, type Tree } from '../../../src/journal/lmdb/group-commit';

interface Disk {
  readonly commit: (work: () => void) => Promise<void>;
  /** One entry for each flush: how many writes it had. */
  readonly flushes: number[];
  readonly tree: Tree;
  failNext: Error | undefined;
  gate: Promise<void>;
}

function makeDisk(): Disk {
  let writes = 0;
  const count = (): Promise<boolean> => Promise.resolve((writes += 1) > 0);
  const disk: Disk = {
    flushes: [],
    failNext: undefined,
    gate: Promise.resolve(),
    tree: { put: count, remove: count },
    async commit(work) {
      writes = 0;
      work();
      await disk.gate;
      const failure = disk.failNext;
      disk.failNext = undefined;
      if (failure !== undefined) throw failure;
      disk.flushes.push(writes);
    },
  };
  return disk;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function makeGroup(options: Partial<ConstructorParameters<typeof GroupCommit>[0]> = {}) {
  const disk = makeDisk();
  const changes: string[] = [];
  const group = new GroupCommit({
    commit: disk.commit,
    onChange: (change) => changes.push(change),
    jobsMax: 10,
    planMsMax: 1000,
    stallMs: 1000,
    ...options,
  });
  const put = (result: number) =>
    group.run(() => ({ result, writes: [{ tree: disk.tree, key: Buffer.from('k'), value: Buffer.from('v') }] }));
  return { disk, group, put, changes };
}

describe('group commit', () => {
  test('jobs of one turn of the event loop share a flush, up to the batch size', async () => {
    const { disk, put } = makeGroup();
    expect(await Promise.all(Array.from({ length: 26 }, (_, index) => put(index)))).toEqual(
      Array.from({ length: 26 }, (_, index) => index),
    );
    expect(disk.flushes).toEqual([10, 10, 6]);
  });

  test('jobs that come during a flush share the next one', async () => {
    const { disk, put } = makeGroup();
    let open = (): void => {};
    disk.gate = new Promise((resolve) => (open = resolve));
    const jobs = [put(1)];
    for (const later of [2, 3]) {
      await turns(2);
      jobs.push(put(later));
    }
    open();
    expect(await Promise.all(jobs)).toEqual([1, 2, 3]);
    expect(disk.flushes).toEqual([1, 2]);
  });

  test('while each turn brings another job they are flushed together; a turn without a job ends that', async () => {
    const { disk, put } = makeGroup();
    const jobs: Promise<unknown>[] = [];
    // Otherwise the two milliseconds are over when the machine stands still.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1);
    for (let job = 0; job < 5; job += 1) {
      const next = turns(1);
      jobs.push(put(job));
      await next;
    }
    await turns(1);
    jobs.push(put(5));
    await Promise.all(jobs);
    clock.mockRestore();
    expect(disk.flushes).toEqual([5, 1]);
  });

  test('jobs that keep coming delay a flush by two milliseconds at most', async () => {
    const { disk, put } = makeGroup();
    const jobs: Promise<unknown>[] = [];
    // Counted instead of timed, because a busy machine may give this process no time for thirty milliseconds.
    for (let job = 0; job < 60; job += 1) {
      const next = turns(1);
      jobs.push(put(job));
      for (const nextMs = performance.now() + 0.5; performance.now() < nextMs;);
      await next;
    }
    await Promise.all(jobs);
    expect(disk.flushes.length).toBeGreaterThan(2);
  });

  test('slow planning leaves the rest to the next flush', async () => {
    const { disk, group } = makeGroup({ planMsMax: 5 });
    const busy = (): { result: number; writes: [] } => {
      for (const untilMs = performance.now() + 6; performance.now() < untilMs;);
      return { result: 1, writes: [] };
    };
    await Promise.all([group.run(busy), group.run(busy), group.run(busy)]);
    expect(disk.flushes).toHaveLength(3);
  });

  test('a plan that throws fails alone', async () => {
    const { group, put } = makeGroup();
    const bad = group.run(() => {
      throw new TypeError('mine');
    });
    await expect(bad).rejects.toThrow(TypeError);
    await expect(put(1)).resolves.toBe(1);
  });

  test('a failed flush fails all its jobs and all waiting ones, and nothing is tried again until it is mended', async () => {
    const { disk, group, put, changes } = makeGroup();
    disk.failNext = new Error('no space left');
    const [first, second] = await Promise.allSettled([put(1), put(2)]);
    expect(first).toMatchObject({ status: 'rejected', reason: expect.any(WriteFailure) });
    expect(second).toMatchObject({ status: 'rejected', reason: expect.any(WriteFailure) });
    await expect(put(3)).rejects.toThrow('the last write failed');
    expect(disk.flushes).toEqual([]);
    expect(group.isWritable()).toBe(false);
    await group.mend();
    expect(group.isWritable()).toBe(true);
    await expect(put(4)).resolves.toBe(4);
    expect(changes).toEqual(['failed', 'recovered']);
  });

  test('a transaction that cannot begin fails the waiting jobs', async () => {
    const { group, changes } = makeGroup({ commit: () => Promise.reject(new Error('panic')) });
    await expect(group.run(() => ({ result: 1, writes: [] }))).rejects.toThrow('panic');
    expect(group.isWritable()).toBe(false);
    expect(changes).toEqual(['failed']);
  });

  test('a disk that hangs makes jobs fail at once until it answers again', async () => {
    const { disk, group, put, changes } = makeGroup({ stallMs: 30 });
    let answer = (): void => {};
    disk.gate = new Promise((resolve) => (answer = resolve));
    const stuck = [put(1), put(2)];
    for (const job of stuck) await expect(job).rejects.toThrow('no answer');
    await expect(put(3)).rejects.toThrow('no answer');
    expect(group.isWritable()).toBe(false);
    expect(await group.close()).toBe(false);
    answer();
    await new Promise((resolve) => setImmediate(resolve));
    expect(changes).toEqual(['stalled', 'recovered']);
  });

  test('closing waits for accepted jobs and accepts no more', async () => {
    const { disk, group, put } = makeGroup();
    const jobs = [put(1), put(2), put(3)];
    expect(await group.close()).toBe(true);
    expect(disk.flushes).toEqual([3]);
    expect(await Promise.all(jobs)).toEqual([1, 2, 3]);
    await expect(put(4)).rejects.toThrow(WriteFailure);
    expect(group.isWritable()).toBe(false);
  });
});
