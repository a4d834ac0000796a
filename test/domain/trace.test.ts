import { readTraceParent, writeTraceParent } from '../../src/domain/trace';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

test.each([
  [`00-${TRACE}-${PARENT}-01`, true],
  [` 00-${TRACE}-${PARENT}-00 `, false],
  [`00-${TRACE}-${PARENT}-03`, true],
  // A later version, with parts that are not known yet.
  [`cc-${TRACE}-${PARENT}-01-what-else`, true],
])('%s is read as a trace', (header, isSampled) => {
  const trace = readTraceParent(header);
  expect(trace).toEqual({ traceId: TRACE, parentId: PARENT, isSampled });
  expect(readTraceParent(writeTraceParent(trace!))).toEqual(trace);
});

test.each([
  undefined,
  '',
  [`00-${TRACE}-${PARENT}-01`],
  `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `ff-${TRACE}-${PARENT}-01`,
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${PARENT}-01-more`,
  `00-${TRACE}-${PARENT}`,
  `00-${TRACE}-${PARENT}-01\r\nx: y`,
  `cc-${TRACE}-${PARENT}-01-${'x'.repeat(600)}`,
])('%j is not read as a trace', (header) => {
  expect(readTraceParent(header)).toBeUndefined();
});
