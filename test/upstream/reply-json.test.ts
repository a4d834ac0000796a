import fc from 'fast-check';
import { parseJsonObject } from '../../src/upstream/reply-json';

describe('an answer as JSON', () => {
  it('is an object or nothing', () => {
    expect(parseJsonObject('{"a":1}')).toEqual({ a: 1 });
    expect(parseJsonObject('\uFEFF{"a":1}')).toEqual({ a: 1 });
    for (const text of ['', '[]', 'null', '1', '"x"', '{"a":', '{"a":1}}', '<html>'])
      expect(parseJsonObject(text)).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseJsonObject(text)));
  });
});
