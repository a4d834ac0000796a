import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkMappings } from '../../../src/cli/doctor/check-files';
import { configFor } from '../../flows/house';
import { newFolder } from '../../new-folder';
import { copyMappings } from '../../mapping/mapping-set';

let folder: string;
beforeEach(() => {
  folder = newFolder();
  copyMappings(join(folder, 'mappings'));
});

async function look(metrics = '', env: Record<string, string> = {}): Promise<string[]> {
  const config = configFor(folder, { MAPPINGS_DIR: join(folder, 'mappings'), ...env });
  const found = { kind: 'running', running: {} as never, readyz: { status: 200, waitingFor: [] }, metrics } as const;
  const findings = await checkMappings({ config, found, key: undefined, mapping: undefined, now: Date.now });
  return [findings].flat().map(({ level, what }) => `${level}: ${what}`);
}

test('files without problems that are in use', async () => {
  const [well] = await look();
  const hash = /\((\w{16})\)/.exec(well!)![1]!;
  expect(await look(`compat_mapping_info{hash="${hash}"} 1\n`)).toEqual([`well: The mapping files have no problems (${hash}).`]);
  expect(await look('compat_mapping_info{hash="0123456789abcdef"} 1\n')).toEqual([
    well,
    'note: The gateway uses another set (0123456789abcdef).',
  ]);
});

test('files with problems, with the first places', async () => {
  writeFileSync(join(folder, 'mappings', 'request-id.yaml'), 'request_id: [\n');
  expect(await look()).toEqual([
    expect.stringMatching(/^mend: The mapping files in .* cannot be used: .*request-id\.yaml:\d+:\d+/),
  ]);
});

test('a V1_PATH that hides addresses of scripts', async () => {
  expect(await look('', { V1_PATH: '/api/topup' })).toEqual([expect.stringMatching(/^mend: V1_PATH is \/api\/topup/)]);
});
