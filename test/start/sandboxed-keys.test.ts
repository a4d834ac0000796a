import { plainCallerKey } from '../../src/mapping/compile-callers';
import { announceSandboxed } from '../../src/start/sandboxed-keys';
import { shippedMapping } from '../mapping/mapping-set';

const ADA = 'a'.repeat(32);

function announced(isSandboxed: boolean, openUrl: () => Promise<string>) {
  const lines: (readonly [string, object | undefined])[] = [];
  const note = (event: string, fields?: object): void => void lines.push([event, fields]);
  const key = { ...plainCallerKey(ADA), title: 'Ada', isSandboxed };
  const callerKeys = new Map([
    [ADA, key],
    ['b'.repeat(32), { ...key, fingerprint: 'b'.repeat(32), sandboxOf: ADA }],
  ]);
  announceSandboxed({ ...shippedMapping(), callerKeys }, openUrl, { warn: note, error: note });
  return lines;
}

test('each key in the sandbox is logged once, and the sandbox is opened', async () => {
  let opened = 0;
  const lines = announced(true, async () => `http://127.0.0.1:${(opened += 1)}`);
  expect(opened).toBe(1);
  const detail = 'Ada sells in the sandbox: its sales are only simulated';
  expect(lines).toEqual([['caller_in_sandbox', { fingerprint: ADA, detail }]]);
});

test('without a key in the sandbox nothing is opened or logged, and a failed opening of the sandbox is logged', async () => {
  expect(announced(false, () => Promise.reject(new Error('asked')))).toEqual([]);
  const lines = announced(true, () => Promise.reject(new Error('the port is taken')));
  await Promise.resolve();
  await Promise.resolve();
  expect(lines.at(-1)).toMatchObject(['sandbox_unavailable', { error: 'the port is taken' }]);
});
