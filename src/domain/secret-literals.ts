/** What in a line looks like a key, a token or a PIN. Better one harmless word masked than one key shown. */

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----/g, 'a private key'],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, 'a token'],
  [/\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{8,}/g, 'an API key'],
  [/\b[A-Za-z0-9]+_(?:live|sandbox)_[A-Za-z0-9]{6,}(?::\d{4,6})?/g, 'an API key'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, 'an access key'],
  [/\bgh[pousr]_[A-Za-z0-9]{20,}/g, 'a token'],
  [/(?<=\b(?:Token|Bearer|Basic):?\s+)(?!\$)(?=[^\s'"]*\d)[A-Za-z0-9+/=._:-]{12,}/gi, 'a key'],
  [/(?<=:\/\/[^\s/:@]{1,80}:)[^\s/:@]+(?=@)/g, 'a password'],
  // A key with its PIN, as scripts send them.
  [/\b[A-Za-z0-9_-]{12,}:\d{4,6}\b/g, 'a key with its PIN'],
  [/(?<=\b(?:pin|transaction_pin|passcode)['"]?\s*[:=]\s*['"]?)\d{4,6}\b/gi, 'a PIN'],
  [
    /(?<=\b(?:password|passwd|secret|api_?key|access_?token|auth_?token|private_?key)['"]?\s*[:=]\s*['"]?)(?!\$)(?=[^\s'",}]*\d)[^\s'",}\]]{6,}/gi,
    'a secret',
  ],
  [/\b(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[A-Za-z])[A-Za-z0-9_-]{40,}\b/g, 'a key or token'],
];

export interface SecretLiteral {
  /** From 0. */
  readonly index: number;
  readonly length: number;
  readonly what: string;
}

export function findSecrets(line: string): SecretLiteral[] {
  // Nearly every line is done with here.
  if (!/\d{4}|_(?:live|test|sandbox)_|PRIVATE KEY|[A-Za-z]\d|\d[A-Za-z]/.test(line)) return [];
  const found: SecretLiteral[] = [];
  for (const [pattern, what] of PATTERNS)
    for (const match of line.matchAll(pattern)) {
      const isKnown = found.some(({ index, length }) => match.index < index + length && index < match.index + match[0].length);
      if (!isKnown) found.push({ index: match.index, length: match[0].length, what });
    }
  return found.sort((a, b) => a.index - b.index);
}

export function maskSecrets(line: string): string {
  let masked = line;
  for (const { index, length } of findSecrets(line))
    masked = `${masked.slice(0, index)}${'*'.repeat(length)}${masked.slice(index + length)}`;
  return masked;
}
