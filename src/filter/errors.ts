/** An invalid filter, rule or sort, with PocketBase's message, which only saving a collection shows. */
export class FilterError extends Error {
  override name = 'FilterError'
}
