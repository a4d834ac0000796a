/**
 * Makes watchers of sales harmless: their errors go to `onTrouble`. An order that v1 sold must not become a failure because a log line or a
 * note was not written, even where `onTrouble` fails as well.
 */
export function harmless(
  onTrouble: (error: unknown) => void,
): <Facts extends unknown[]>(watch: (...facts: Facts) => void) => (...facts: Facts) => void {
  return (watch) =>
    (...facts) => {
      try {
        watch(...facts);
      } catch (error) {
        try {
          onTrouble(error);
        } catch {
          // The log itself is broken: the sale goes on.
        }
      }
    };
}
