import { UserError } from '../errors.ts'

/** The single migration that makes what the migrations from FIRST to LAST made before the first release. */
const START = '0001_start.sql'
const [FIRST, LAST] = ['0001_collections.sql', '0031_webhook_statement.sql']

/** True if migrations were applied by a version from before the first release. */
export const areFormer = (applied: readonly string[]): boolean => applied.includes(FIRST)

/**
 * Migrations that a database or a backup names, as this version names them. Throws a UserError if they are from before the first
 * release and not all of them were applied.
 */
export function presentNames(applied: readonly string[]): readonly string[] {
  if (!areFormer(applied)) return applied
  if (applied.includes(LAST)) return [START]
  throw new UserError(
    'The database is older than the first release of pocketsms. Start the last version before that release on it once, then this one.',
  )
}
