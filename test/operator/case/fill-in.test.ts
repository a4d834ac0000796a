import { describeRow, fillIn, toRow } from '../../../src/operator/case/fill-in';

test('a text that is a name becomes the value itself, and inside a text it becomes text', () => {
  const row = { number: 2, rows: [{ id: 1 }] };
  expect(fillIn({ whole: '$number', inside: 'number $number of $rows', deep: ['$rows'] }, row)).toEqual({
    whole: 2,
    inside: 'number 2 of [{"id":1}]',
    deep: [[{ id: 1 }]],
  });
});

test('names of fields are filled in, and the last of two of one name stands', () => {
  expect(fillIn({ amount: 100, $field: '$bad' }, { field: 'amount', bad: 'many' })).toEqual({ amount: 'many' });
});

test('a name ends where its letters end, and an unknown one stays as it is', () => {
  expect(fillIn('$prefix1234567 $order.id $reply.id', { prefix: '0803' })).toBe('08031234567 $order.id $reply.id');
});

test('a plain row is called $value', () => {
  expect(toRow('phone')).toEqual({ value: 'phone' });
  expect(toRow({ a: 1 })).toEqual({ a: 1 });
});

test('a row is told so that a number and its text are two', () => {
  expect(describeRow({ said: 1, word: 'MTN' })).toBe('said: 1, word: MTN');
  expect(describeRow({ said: '1', word: '' })).toBe("said: '1', word: ''");
});
