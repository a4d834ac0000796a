import { ERRORS, GatewayError, type ErrorCode } from '../../src/domain/errors';

const CODES = Object.keys(ERRORS) as ErrorCode[];

test.each(CODES)('%s is a snake-case word with a title and a status of its own', (code) => {
  expect(code).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
  expect(ERRORS[code].title).toMatch(/^[A-Z].*[^.]$/);
  expect(ERRORS[code].status).toBeGreaterThanOrEqual(400);
  expect(ERRORS[code].status).toBeLessThan(600);
});

test('no two refusals share a title', () => {
  expect(new Set(CODES.map((code) => ERRORS[code].title)).size).toBe(CODES.length);
});

test('a refusal has its code, its status, its field and its cause', () => {
  const cause = new Error('disk full');
  const error = new GatewayError('invalid_field', 'amount: expected at least 1.00 naira.', { field: 'amount', cause });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: 'GatewayError',
    code: 'invalid_field',
    status: 400,
    field: 'amount',
    detail: 'amount: expected at least 1.00 naira.',
    message: 'A field has an unusable value: amount: expected at least 1.00 naira.',
    cause,
  });
});

test('a refusal without detail shows its title', () => {
  const error = new GatewayError('overloaded');
  expect(error.detail).toBe('Too busy right now, nothing was sent.');
  expect(error.message).toBe('Too busy right now, nothing was sent');
  expect(error.field).toBeUndefined();
  expect('cause' in error).toBe(false);
});
