import { V1_REPLIES } from '../../../src/mapping/shape/v1-shapes';
import { V1_ENDPOINTS, type V1Endpoint } from '../../../src/upstream/v1';

test('every reply with a shape is that of an endpoint of the specification', () => {
  const calls = (V1_ENDPOINTS as readonly V1Endpoint[]).map(({ method, path }) => `${method} ${path}`);
  expect(Object.keys(V1_REPLIES).filter((call) => !calls.includes(call))).toEqual([]);
});

test('a shape is read off the schema: nested parts, optional ones too, and the kinds of values', () => {
  expect(V1_REPLIES['POST /validate-meter']).toEqual({
    status: 'text',
    message: 'text',
    data: { name: 'text', address: 'text' },
  });
  expect(V1_REPLIES['GET /receipt']).toMatchObject({ data: { status: 'text', amount: 'number', pins: 'rows' } });
  expect(V1_REPLIES['GET /balance']).toMatchObject({ data: { sandbox: 'flag' } });
});
