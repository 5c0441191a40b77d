/**
 * An invalid filter, rule or sort; the message is PocketBase's cause. A list answers a plain 400, saving a
 * collection shows the message.
 */
export class FilterError extends Error {
  override name = 'FilterError'
}
