import { kobo } from '../../src/domain/amount';
import {
  isFinal,
  isSafeToRefund,
  referenceOf,
  succeedOutcome,
  type Delivery,
  type Outcome,
  type OutcomeKind,
  TOLD_AS,
} from '../../src/domain/outcome';

const OUTCOMES: Readonly<Record<OutcomeKind, Outcome>> = {
  succeeded: { kind: 'succeeded', reference: 'R1' },
  pending: { kind: 'pending', reference: 'R1' },
  declined: { kind: 'declined', reference: 'R1' },
  rejected: { kind: 'rejected', httpStatus: 402, message: 'Insufficient balance' },
  not_sent: { kind: 'not_sent', reason: 'ECONNREFUSED' },
  unknown: { kind: 'unknown', reason: 'HTTP 500' },
};
const KINDS = Object.keys(OUTCOMES) as OutcomeKind[];

// Rows: the known outcome. Columns: the next answer. Cells: the outcome afterwards.
const COLUMNS: readonly OutcomeKind[] = ['succeeded', 'pending', 'declined', 'rejected', 'not_sent', 'unknown'];
const SUCCESSIONS: Readonly<Record<OutcomeKind | 'nothing', readonly OutcomeKind[]>> = {
  nothing: ['succeeded', 'pending', 'declined', 'rejected', 'not_sent', 'unknown'],
  not_sent: ['succeeded', 'pending', 'declined', 'rejected', 'not_sent', 'unknown'],
  rejected: ['succeeded', 'pending', 'declined', 'rejected', 'not_sent', 'unknown'],
  unknown: ['succeeded', 'pending', 'declined', 'unknown', 'unknown', 'unknown'],
  pending: ['succeeded', 'pending', 'declined', 'pending', 'pending', 'pending'],
  succeeded: ['succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded'],
  declined: ['declined', 'declined', 'declined', 'declined', 'declined', 'declined'],
};
const cases = Object.entries(SUCCESSIONS).flatMap(([previous, row]) =>
  row.map((expected, column) => [previous, COLUMNS[column]!, expected] as const),
);

test.each(cases)('after %s, %s leaves the order %s', (previous, latest, expected) => {
  const known = previous === 'nothing' ? undefined : OUTCOMES[previous as OutcomeKind];
  // Neither another reference nor what v1 says of money and goods changes that.
  for (const more of [{}, { reference: 'R2' }, { delivery: { charged: kobo(9_800), goodsMissing: true } }])
    expect(succeedOutcome(known, { ...OUTCOMES[latest], ...more }).kind).toBe(expected);
});

test.each(KINDS)("%s is final only when v1's answer can no longer change", (kind) => {
  expect(isFinal(OUTCOMES[kind])).toBe(kind === 'succeeded' || kind === 'declined');
});

test.each([...KINDS, undefined])("%s has v1's reference, and no other outcome has one", (kind) => {
  const isTold = kind === 'succeeded' || kind === 'pending' || kind === 'declined';
  expect(referenceOf(kind && OUTCOMES[kind])).toBe(isTold ? 'R1' : undefined);
});

test.each(KINDS)('%s lets a script refund only when nothing stays charged', (kind) => {
  expect(isSafeToRefund(OUTCOMES[kind])).toBe(['declined', 'rejected', 'not_sent'].includes(kind));
});

test('a reference and a price that v1 gave once are kept when a later answer leaves them out', () => {
  const first: Outcome = { kind: 'pending', reference: 'R1', delivery: { charged: kobo(9_800), balanceBefore: kobo(50_000) } };
  expect(succeedOutcome(first, { kind: 'succeeded', message: 'Done' })).toEqual({
    kind: 'succeeded',
    message: 'Done',
    reference: 'R1',
    delivery: { charged: 9_800, balanceBefore: 50_000 },
  });
});

test('an order that was charged and refunded has a reference and no price', () => {
  const first: Outcome = { kind: 'pending', reference: 'R1', delivery: { charged: kobo(9_800), balanceAfter: kobo(1) } };
  expect(succeedOutcome(first, { kind: 'declined', message: 'Refunded' })).toEqual({
    ...{ kind: 'declined', message: 'Refunded', reference: 'R1' },
  });
});

test('a later answer about money replaces the earlier one, figure by figure', () => {
  const first: Outcome = { kind: 'pending', reference: 'R1', delivery: { charged: kobo(9_800), balanceAfter: kobo(1) } };
  const second: Outcome = { kind: 'succeeded', reference: 'R1', delivery: { balanceAfter: kobo(2) } };
  expect(succeedOutcome(first, second)).toMatchObject({ delivery: { charged: 9_800, balanceAfter: 2 } });
});

const PINS = [{ pin: '1', serial: '2' }];
test.each<[string, Delivery, Delivery, boolean]>([
  ['goods that an answer lacks stay missing', { goodsMissing: true }, {}, true],
  ['goods that an answer brings are missing no longer: a token', { goodsMissing: true }, { token: '123' }, false],
  ['goods that an answer brings are missing no longer: PINs', { goodsMissing: true }, { pins: PINS }, false],
  ['an empty list of PINs brings nothing', { goodsMissing: true }, { pins: [] }, true],
  ['a token that v1 says does not exist brings nothing', { goodsMissing: true }, { token: null }, true],
  ['goods that a receipt has shown are not missing because an answer lacks them', { pins: PINS }, { goodsMissing: true }, false],
  ['an answer may say for the first time that goods are missing', {}, { goodsMissing: true }, true],
  ['an answer without word of goods leaves none missing', { token: '123' }, {}, false],
])('%s', (_title, before, after, isMissing) => {
  const settled = succeedOutcome(
    { kind: 'succeeded', reference: 'R1', delivery: before },
    { kind: 'succeeded', delivery: after },
  );
  expect('delivery' in settled && settled.delivery?.goodsMissing === true).toBe(isMissing);
});

test('only what proves that nothing stays charged is told as a failure, and only a confirmed sale as a success', () => {
  expect(TOLD_AS).toEqual({
    succeeded: 'success',
    pending: 'pending',
    unknown: 'pending',
    declined: 'failure',
    rejected: 'failure',
    not_sent: 'failure',
  });
});
