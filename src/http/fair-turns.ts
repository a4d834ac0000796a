/**
 * Whose turn it is to use one of a bounded number of places. A client may hold as many as it leaves free: alone it gets half
 * of them, beside others less, and whoever comes next finds one. Beyond that it waits in a line of its own; lines are served in turn.
 */
export interface FairTurns {
  /** Calls `start` now or later, or else `refuse`. What it gives back ends the turn, also one that has not begun. */
  enter(client: string, start: () => void, refuse: () => void): () => void;
}

export interface FairTurnsOptions {
  readonly places: number;
  /** In the line of one client. */
  readonly waitingMax: number;
  readonly waitMs: number;
}

interface Turn {
  readonly client: string;
  readonly start: () => void;
  timer?: NodeJS.Timeout;
  holdsPlace: boolean;
}

export function createFairTurns({ places, waitingMax, waitMs }: FairTurnsOptions): FairTurns {
  const held = new Map<string, number>();
  const lines = new Map<string, Set<Turn>>();
  let free = places;

  const mayStart = (client: string): boolean => (held.get(client) ?? 0) < free;

  function begin(turn: Turn): void {
    free -= 1;
    held.set(turn.client, (held.get(turn.client) ?? 0) + 1);
    turn.holdsPlace = true;
    turn.start();
  }

  function end(turn: Turn): void {
    leaveLine(turn);
    if (!turn.holdsPlace) return;
    turn.holdsPlace = false;
    free += 1;
    const left = (held.get(turn.client) ?? 0) - 1;
    if (left > 0) held.set(turn.client, left);
    else held.delete(turn.client);
    for (let next = nextTurn(); next !== undefined; next = nextTurn()) begin(next);
  }

  function nextTurn(): Turn | undefined {
    for (const [client, line] of lines) {
      const [turn] = line;
      if (turn === undefined || !mayStart(client)) continue;
      leaveLine(turn);
      // Whoever still has somebody waiting goes behind all others.
      if (lines.delete(client)) lines.set(client, line);
      return turn;
    }
    return undefined;
  }

  function leaveLine(turn: Turn): void {
    clearTimeout(turn.timer);
    const line = lines.get(turn.client);
    line?.delete(turn);
    if (line?.size === 0) lines.delete(turn.client);
  }

  return {
    enter(client, start, refuse) {
      const turn: Turn = { client, start, holdsPlace: false };
      const line = lines.get(client) ?? new Set();
      if (mayStart(client)) {
        begin(turn);
      } else if (line.size < waitingMax) {
        lines.set(client, line.add(turn));
        turn.timer = setTimeout(() => {
          leaveLine(turn);
          refuse();
        }, waitMs).unref();
      } else {
        refuse();
      }
      return () => end(turn);
    },
  };
}
