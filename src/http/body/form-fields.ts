/** Fields from `application/x-www-form-urlencoded` text: bodies and query strings. */
import { GatewayError } from '../../domain/errors';
import type { LegacyFields } from '../../domain/legacy';
import type { BodyLimits } from '../http-limits';
import { NO_FIELDS } from './field-rules';
import { nestFields } from './nest-fields';
import type { FieldPair } from './nest-fields';

/** `where` names the source in a refusal: "body" or "query string". */
export function readFormFields(text: string, where: string, limits: BodyLimits): LegacyFields {
  if (text === '') return NO_FIELDS;
  return nestFields(
    text.split('&').map((pair) => splitPair(pair, where)),
    limits,
  );
}

function splitPair(pair: string, where: string): FieldPair {
  const equals = pair.indexOf('=');
  if (equals === -1) return [decode(pair, where), ''];
  return [decode(pair.slice(0, equals), where), decode(pair.slice(equals + 1), where)];
}

function decode(text: string, where: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    // Throws for a broken escape and for bytes that are no UTF-8; PHP and URLSearchParams would go on with a guess.
    return decodeURIComponent(spaced);
  } catch (cause) {
    throw new GatewayError(
      'unreadable_body',
      `The ${where} has a percent sign that is not followed by valid UTF-8 in hexadecimal.`,
      {
        cause,
      },
    );
  }
}
