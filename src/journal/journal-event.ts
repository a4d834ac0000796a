/** What an operator should hear of; nothing of it stops the journal. */
export type JournalEvent =
  | { readonly kind: 'write_failed'; readonly error: unknown }
  | { readonly kind: 'write_stalled'; readonly waitedMs: number }
  | { readonly kind: 'write_recovered' }
  /** What v1 had said of these orders while nothing could be written is on disk now. */
  | { readonly kind: 'answers_written'; readonly orders: number }
  /** The process ends before that could be written; these orders are open attempts in the journal. */
  | { readonly kind: 'answers_unwritten'; readonly orders: number }
  | { readonly kind: 'swept'; readonly orders: number }
  | { readonly kind: 'sweep_failed'; readonly error: unknown }
  /** Retention met a record that this build cannot read, and left it alone. */
  | { readonly kind: 'record_unreadable'; readonly error: unknown };
