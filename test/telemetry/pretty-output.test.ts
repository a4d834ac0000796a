import { createLog } from '../../src/telemetry/log';
import type { Output } from '../../src/telemetry/output';
import { prettyOutput } from '../../src/telemetry/pretty-output';

function openOutput(hasColour = false) {
  const written: string[] = [];
  const output: Output = {
    write: (line) => void written.push(line),
    linesLost: () => 3,
    flush: () => Promise.resolve(),
    reopen: () => 'ENOENT',
  };
  return { written, pretty: prettyOutput(output, hasColour) };
}

test('a log line is one line that people read, and what is none stays as it is', () => {
  const { written, pretty } = openOutput();
  const log = createLog('info', pretty);
  log.warn('wrong_pin', { fingerprint: 'f00d', detail: 'two\nlines \u001b[31mred' });
  pretty.write('compat-gateway serves http://127.0.0.1:8080\n');
  expect(written).toEqual([
    expect.stringMatching(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: wrong_pin \{"fingerprint":"f00d","detail":"two\\nlines .*red"\}\n$/),
    'compat-gateway serves http://127.0.0.1:8080\n',
  ]);
  // Nothing of a stranger's moves the cursor or colours the terminal.
  expect(written.join('')).not.toContain('\u001b');
});

test('colours are for terminals', () => {
  const { written, pretty } = openOutput(true);
  createLog('info', pretty).info('request');
  expect(written.join('')).toContain('\u001b[');
});

test('it promises what the output promises', async () => {
  const { pretty } = openOutput();
  await pretty.flush();
  expect([pretty.linesLost(), pretty.reopen()]).toEqual([3, 'ENOENT']);
  expect(createLog('info', pretty).linesLost()).toBe(3);
});
