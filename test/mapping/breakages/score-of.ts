/** How many breakages of each kind were stopped, as a table for people. */
import type { Verdict } from './judge-breakage';

export function scoreOf(verdicts: readonly Verdict[]): string {
  const kinds = [...new Set(verdicts.map(({ breakage }) => breakage.kind))];
  const row = (title: string, of: readonly Verdict[]): string => {
    const count = (by: Verdict['by']): string => String(of.filter((one) => one.by === by).length).padStart(6);
    return `${count('check')}${count('plan')}${count('nobody')}  ${title}\n`;
  };
  const money = verdicts.filter(({ breakage }) => breakage.isMoney);
  const share = (100 * money.filter(({ by }) => by === 'check').length) / money.length;
  return [
    ' check  plan nobody\n',
    ...kinds.map((kind) =>
      row(
        kind,
        verdicts.filter(({ breakage }) => breakage.kind === kind),
      ),
    ),
    row('of all', verdicts),
    row(`of those that lose money: check stops ${share.toFixed(1)} %`, money),
  ].join('');
}
