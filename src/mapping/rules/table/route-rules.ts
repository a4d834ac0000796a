/** Rules about addresses. */
import { error, warning, type RuleTable } from '../rule';

export const ROUTE_RULES = {
  'bad-route': error(
    'A route is not written like one',
    'It would match nothing.',
    'Write the methods and a path, such as `POST /api/topup` or `GET|POST /api/user`.',
  ),
  'route-shadowed': error(
    'One address means two operations',
    'Only one of the two can ever be reached; `:id` and `:request_id` are the same address.',
    'Give one of them another address or another method.',
  ),
  'route-repeated': warning(
    'A route stands twice in one operation',
    'It has no effect. Both slash spellings of an address are one address.',
    'Delete the second.',
    'deletes the second when it stands in the same list',
  ),
  'route-not-normal': warning(
    'A path is not written in the usual way',
    'Double slashes and a slash at the end are taken away from every request, so they promise a difference that is none.',
    'Write single slashes and none at the end.',
    'writes the path in the usual way',
  ),
  'route-in-capitals': warning(
    'A path has capital letters',
    'Addresses are compared letter by letter: scripts that write it in small letters find nothing.',
    'Write it in small letters unless scripts are known to send it so.',
  ),
  'route-inside-v1': error(
    'A route stands below the address of the v1 pass-through',
    'Requests to `/api/v1/…` go to v1 untouched and never reach a mapping.',
    'Choose another address.',
  ),
  'format-shadows-route': error(
    'The first part of an address is the id of a format',
    '`/a/…` pins format `a`, so the address is never reached.',
    'Rename the format or the address.',
  ),
  'parameter-repeated': error(
    'An address has one parameter twice',
    'Only one of the two values would be read.',
    'Give them different names.',
  ),
  'unknown-parameter': error(
    'A parameter of an address is no field of the operation',
    'What stands in the address would be dropped.',
    'Name it after a field; in a purchase `:request_id` is the script’s own id.',
  ),
} as const satisfies RuleTable;
