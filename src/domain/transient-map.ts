/**
 * A map for values that live as long as a request.
 *
 * When V8 replaces the table of a `Map`, the old table still points to its values and to the new table. Once one such table is in the old
 * generation, the collector of young objects counts all later tables and their values as alive. So each sale that was under way at one of its
 * runs was copied into the old generation: 11 kB of each purchase. Here a table holds a box, and the box is emptied when its entry goes.
 */
export class TransientMap<Key, Value> {
  readonly #boxes = new Map<Key, { value: Value | undefined }>();

  get size(): number {
    return this.#boxes.size;
  }

  get(key: Key): Value | undefined {
    return this.#boxes.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    const box = this.#boxes.get(key);
    if (box === undefined) this.#boxes.set(key, { value });
    else box.value = value;
  }

  delete(key: Key): void {
    const box = this.#boxes.get(key);
    if (box === undefined) return;
    this.#boxes.delete(key);
    box.value = undefined;
  }

  keys(): MapIterator<Key> {
    return this.#boxes.keys();
  }

  values(): Value[] {
    return Array.from(this.#boxes.values(), ({ value }) => value as Value);
  }
}
