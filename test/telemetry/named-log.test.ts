import { createLog } from '../../src/telemetry/log';
import { namedLog } from '../../src/telemetry/named-log';

const ADA = 'a'.repeat(32);

test('every line with the fingerprint of a named caller has its title, and no other line has one', () => {
  const lines: string[] = [];
  const log = namedLog(createLog('debug', { write: (line: string) => void lines.push(line) }), (fingerprint) =>
    fingerprint === ADA ? 'Ada' : undefined,
  );
  for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name]('line', { fingerprint: ADA, count: 1 });
  log.info('line', { fingerprint: 'b'.repeat(32) });
  log.info('line');
  const callers = lines.map((line) => (JSON.parse(line) as { caller?: string }).caller);
  expect(callers).toEqual(['Ada', 'Ada', 'Ada', 'Ada', undefined, undefined]);
  expect(lines[0]).toContain('"count":1');
});

test('a title is shown as what others wrote', () => {
  const lines: string[] = [];
  namedLog(createLog('info', { write: (line: string) => void lines.push(line) }), () => 'shop_live_0123456789').info('line', {
    fingerprint: ADA,
  });
  expect(lines.join('')).not.toContain('0123456789');
});
