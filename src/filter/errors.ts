/** An invalid filter, rule or sort, in PocketBase's words. Only saving a collection shows them. */
export class FilterError extends Error {
  override name = 'FilterError'
}
