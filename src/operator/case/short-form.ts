/**
 * `send: POST /api/topup/ { network: 1, amount: 100 }`: an address and its fields on one line. That is no YAML, so the
 * address is taken out before the file is parsed; blanks stand in its place, and every position stays true.
 */
export interface ShortForms {
  /** The file with blanks where addresses stood. */
  readonly text: string;
  /** The address taken out of a line, counted from 1; its method may be a name that `each` fills in. */
  readonly addresses: ReadonlyMap<number, string>;
}

const SHORT_FORM = /^(\s*(?:- )?(?:send|expect_call):\s+)((?:[A-Z|]+|\$[a-z_]+) [^\s{]+)(?=\s+\{)/;

export function readShortForms(text: string): ShortForms {
  const addresses = new Map<number, string>();
  const lines = text.split('\n').map((line, index) => {
    const [whole, before, address] = SHORT_FORM.exec(line) ?? [];
    if (whole === undefined || before === undefined || address === undefined) return line;
    addresses.set(index + 1, address);
    return `${before}${' '.repeat(address.length)}${line.slice(whole.length)}`;
  });
  return { text: lines.join('\n'), addresses };
}
