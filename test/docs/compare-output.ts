/** What a page shows of an output, held loosely against what was really printed. */

/** Differ from run to run: only their type is compared. */
const VARYING = /date|bal|wallet$|created_at|^(?:id|ident|transid|reference|transaction_ref|token|meter_token|pin|serial)$/;
const OWN_REQUEST_ID = /^CG[0-9A-Z]{26}$/;

/**
 * Every line that is shown stands in the output, in that order, whatever stands between; `…` inside a line stands for any
 * text, and blanks are counted once. Gives what is missing.
 */
export function compareText(shown: string, printed: string): string | undefined {
  const lines = printed.split('\n').map(plain);
  let at = 0;
  for (const line of shown.split('\n').map(plain)) {
    if (line === '' || line === '…') continue;
    const pattern = new RegExp(`^${line.split('…').map(escape).join('.*')}$`);
    const found = lines.findIndex((one, index) => index >= at && pattern.test(one));
    if (found < 0) return `no line like ${JSON.stringify(line)}`;
    at = found + 1;
  }
  return undefined;
}

const plain = (line: string): string => line.trim().replace(/ {2,}/g, ' ');

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Every field that is shown is in the reply with its value; others may be there. */
export function compareJson(shown: unknown, told: unknown, name = ''): string | undefined {
  if (isObject(shown) && isObject(told)) {
    for (const [key, value] of Object.entries(shown)) {
      if (!Object.hasOwn(told, key)) return `no field ${key}`;
      const wrong = compareJson(value, told[key], key);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }
  if (Array.isArray(shown) && Array.isArray(told)) {
    for (const [index, value] of shown.entries()) {
      const wrong = compareJson(value, told[index], name);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }
  const isVarying = VARYING.test(name) || (OWN_REQUEST_ID.test(String(shown)) && OWN_REQUEST_ID.test(String(told)));
  const isLike = isVarying ? typeof shown === typeof told : shown === told;
  return isLike ? undefined : `${name} is ${JSON.stringify(told)}, shown is ${JSON.stringify(shown)}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
