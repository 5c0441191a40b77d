/**
 * A filter, rule or sort that makes no sense; the message is PocketBase's cause. A list answers it with a
 * plain 400, a collection's save shows it.
 */
export class FilterError extends Error {
  override name = 'FilterError'
}
