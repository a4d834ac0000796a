/** The parts of a name, in small letters: `orderId`, `order_id` and `order-id` have the same. */
export function partsOf(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
}
