/** What an order is found by. */
export interface OrderKey {
  readonly owner: string;
  readonly requestId: string;
}

/** The length keeps apart what only together reads the same. */
export function keyText({ owner, requestId }: OrderKey): string {
  return `${owner.length} ${owner}${requestId}`;
}
