/** Both slash spellings of an address are one: `/api/topup/` is `/api/topup`. */
export function trimSlash(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' ? '/' : trimmed;
}
