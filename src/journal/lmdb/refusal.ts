/** Why a journal folder is not used, as a sentence that names the folder. `what` goes on after the name. */
export function refusal(dir: string, what: string, cause?: unknown): Error {
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  return new Error(`The journal folder ${dir} ${what}${reason}.`, cause === undefined ? undefined : { cause });
}
