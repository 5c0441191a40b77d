/** Another write changed the record between read and write. Nothing was stored: repeat the update. */
export class Conflict extends Error {
  override name = 'Conflict'
}
