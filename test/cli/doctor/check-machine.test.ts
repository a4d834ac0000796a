import { judgeNode, judgeOpenFiles } from '../../../src/cli/doctor/check-machine';

test.each([
  ['18.20.4', 'mend'],
  ['20.18.3', 'mend'],
  ['20.19.0', 'note'],
  ['22.11.0', 'well'],
  ['24.11.0', 'well'],
])('Node %s is %s', (version, level) => expect(judgeNode(version).level).toBe(level));

test.each([
  [256, 'mend'],
  [1_024, 'note'],
  [16_384, 'well'],
  [Number.MAX_SAFE_INTEGER, 'well'],
])('%d open files are %s', (limit, level) => expect(judgeOpenFiles(limit).level).toBe(level));
