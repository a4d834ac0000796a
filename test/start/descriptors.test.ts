import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOpenFilesLimit, shareDescriptors } from '../../src/start/descriptors';
import { newFolder } from '../new-folder';

describe('the open files that a process may have', () => {
  test.each([200, 256, 1_024, 4_096, 20_000, 1_048_576])(
    'are shared among the servers and the calls to v1, with a limit of %i',
    (limit) => {
      for (const hasSandbox of [false, true]) {
        const shares = shareDescriptors(limit, 4_096, hasSandbox);
        const { sales, passthrough, admin } = shares;
        // The process needs 50 files of its own, and two for each call to a sandbox in the same process.
        expect(shares.public + admin + (sales + passthrough) * (hasSandbox ? 2 : 1) + 50).toBeLessThanOrEqual(limit);
        for (const share of Object.values(shares)) expect(share).toBeGreaterThan(0);
        expect(sales).toBeGreaterThanOrEqual(passthrough);
      }
    },
  );

  test('leave room for thousands of calls to v1, but for no more than the operator allows', () => {
    expect(shareDescriptors(20_000, 4_096, false)).toMatchObject({ public: 12_000, sales: 4_096 });
    expect(shareDescriptors(4_096, 4_096, false)).toMatchObject({ sales: 1_024, public: 2_752 });
    expect(shareDescriptors(20_000, 3, false)).toMatchObject({ public: 12_000, sales: 3 });
  });

  test('count as unlimited where the system shows no limit', () => {
    expect(readOpenFilesLimit('/nowhere/limits')).toBe(Number.MAX_SAFE_INTEGER);
    expect(shareDescriptors(Number.MAX_SAFE_INTEGER, 4_096, true)).toEqual({
      public: 12_000,
      sales: 4_096,
      passthrough: 128,
      admin: 200,
    });
  });

  test('are read from the limits file of Linux', () => {
    const file = join(newFolder(), 'limits');
    const title = 'Limit                     Soft Limit           Hard Limit           Units     \n';
    writeFileSync(file, `${title}Max processes             7864                 7864                 processes \n`);
    expect(readOpenFilesLimit(file)).toBe(Number.MAX_SAFE_INTEGER);
    writeFileSync(file, `${title}Max open files            1024                 524288               files     \n`);
    expect(readOpenFilesLimit(file)).toBe(1024);
    if (process.platform === 'linux') expect(readOpenFilesLimit()).toBeGreaterThan(0);
  });
});
