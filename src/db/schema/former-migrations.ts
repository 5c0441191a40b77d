import { UserError } from '../../errors.ts'
import { sqlFiles } from './sql-files.ts'

/** The single migration that makes what the migrations from FIRST to LAST made before the first release. */
const START = '0001_start.sql'
const FIRST = '0001_collections.sql'
const LAST = '0031_webhook_statement.sql'
/** The migrations after this one are still in `sql/former`: a database that has it is brought up to LAST. */
const OLDEST = '0026_plain_text.sql'

/** True if migrations were applied by a version from before the first release. */
export const areFormer = (applied: readonly string[]): boolean => applied.includes(FIRST)

/** The migrations of a database or a backup that has LAST, as this version names them. */
const renamed = (applied: readonly string[]) => [START, ...applied.filter((name) => name > LAST)]

/** The same for a database. Throws a UserError if it is from before OLDEST. */
export function presentNames(applied: readonly string[]): readonly string[] {
  if (!areFormer(applied)) return applied
  if (applied.includes(OLDEST)) return renamed(applied)
  throw new UserError(
    `The database is from a version before the first release of pocketsms, with migrations up to ${applied.at(-1)}. ` +
      `Install a version that has ${OLDEST}, start it once on this database, then start this version.`,
  )
}

/**
 * The same for a backup, whose tables are filled as they are. Throws a UserError if it is from before LAST.
 */
export function presentNamesOfBackup(applied: readonly string[]): readonly string[] {
  if (!areFormer(applied)) return applied
  if (applied.includes(LAST)) return renamed(applied)
  throw new UserError(
    `The backup is from a version before the first release of pocketsms, with migrations up to ${applied.at(-1)}. ` +
      'Restore it with the version that made it, then start this version on that database.',
  )
}

/** SQL of the former migrations that a database lacks, in order. */
export const formerSteps = (applied: readonly string[]): readonly string[] =>
  sqlFiles('former')
    .filter(({ name }) => !applied.includes(`${name}.sql`))
    .map(({ sql }) => sql)
