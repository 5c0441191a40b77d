import { UserError } from '../../errors.ts'

/** The single migration that makes what the migrations from FIRST to LAST made before the first release. */
const START = '0001_start.sql'
const [FIRST, LAST] = ['0001_collections.sql', '0031_webhook_statement.sql']

/** What the user has to do with the version whose last migration is LAST. */
const REMEDIES = {
  database: 'start it once on this database, then start this version',
  backup: 'restore the backup with it, make a new one, and restore that with this version',
} as const

/** True if migrations were applied by a version from before the first release. */
export const areFormer = (applied: readonly string[]): boolean => applied.includes(FIRST)

/**
 * The migrations of a database or a backup, as this version names them. Throws a UserError if they are from
 * before the first release and not all of them were applied.
 */
export function presentNames(
  applied: readonly string[],
  source: keyof typeof REMEDIES = 'database',
): readonly string[] {
  if (!areFormer(applied)) return applied
  if (applied.includes(LAST)) return [START, ...applied.filter((name) => name > LAST)]
  throw new UserError(
    `The ${source} is from a version before the first release of pocketsms, with migrations up to ${applied.at(-1)}. ` +
      `Install the version whose last migration is ${LAST}, ${REMEDIES[source]}.`,
  )
}
