/** Another write changed the record between read and write. Nothing was stored: run the update again. */
export class Conflict extends Error {
  override name = 'Conflict'
}
