/** The one rule: never told "failed" while charged, never "success" while not, never charged twice, never no JSON. */
import type { Fault } from './fault';
import type { CellResult, FaultResult, Step } from './run-faults';

/** In words, one sentence each; empty when all is well. */
export function judge({ fault, cells }: FaultResult): readonly string[] {
  return cells.flatMap((cell) => {
    const where = `${fault.title} (${fault.lasts}), ${cell.purchase.operation} ${cell.purchase.format}`;
    return judgeCell(fault, cell).map((complaint) => `${where}: ${complaint}`);
  });
}

function judgeCell(fault: Fault, { first, later, again }: CellResult): readonly string[] {
  const complaints = [
    ...judgeStep('purchase', first),
    ...judgeStep('status', later),
    ...judgeStep('repeat', again),
    // What was called failed at first must stay free of charge until somebody orders it again.
    ...(first.told.word === 'fail' && owed(later) > 0 ? ['told failed, and charged later'] : []),
    ...(first.told.word === 'success' && owed(later) === 0 ? ['told success, and nothing is charged later'] : []),
    ...(later.told.word === 'pending' && later.ledger.pending === 0 ? ['still pending for the script, long over for v1'] : []),
  ];
  // An order that the journal never took does not exist; every other one can be asked for.
  const isJournalled = first.told.http !== 503 && fault.alone?.journal === undefined;
  const isKnownToV1 = owed(later) + later.ledger.refunded > 0;
  if (later.told.http !== 200 && (isJournalled || isKnownToV1))
    complaints.push(`the order cannot be asked for: HTTP ${later.told.http}`);
  return complaints;
}

function judgeStep(name: string, { told, ledger }: Step): readonly string[] {
  const complaints: string[] = [];
  const charged = ledger.charged + ledger.pending;
  if (told.word === 'nonsense') complaints.push(`HTTP ${told.http}, no reply that a script can read: ${told.text.slice(0, 200)}`);
  if (told.word === 'fail' && charged > 0) complaints.push('told failed while charged');
  if (told.word === 'success' && ledger.charged === 0) complaints.push('told success while not charged');
  if (charged > 1) complaints.push(`charged ${charged} times`);
  return complaints.map((complaint) => `${name}: ${complaint}`);
}

function owed({ ledger }: Step): number {
  return ledger.charged + ledger.pending;
}
