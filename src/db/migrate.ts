import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UserError } from '../errors.ts'
import { isSqlError } from './errors.ts'
import type { Db } from './open.ts'

const FOLDER = new URL('../../sql/', import.meta.url)

/** Any number that no other program takes: nodes that start together migrate one after the other. */
export const MIGRATION_LOCK = 7_367_001

const INSUFFICIENT_PRIVILEGE = '42501'

let files: readonly string[] | undefined

/** The numbered files of `sql/`, in order: as they were when this process first asked, an upgrade may be under way. */
function migrationFiles(): readonly string[] {
  files ??= readdirSync(fileURLToPath(FOLDER))
    .filter((name) => /^\d{4}_.*\.sql$/.test(name))
    .sort()
  return files
}

/**
 * Brings the schema up to date: each file not yet applied runs in a transaction of its own, under an advisory
 * lock. Returns the names of what it applied. `only`: no others than these. Throws a UserError for a database that a newer version has
 * migrated, and where our role may make no tables.
 */
export async function migrate(db: Db, only?: readonly string[]): Promise<string[]> {
  const applied: string[] = []
  const files = migrationFiles()
  const wanted = files.filter((file) => only?.includes(file) ?? true)
  try {
    for (const file of wanted)
      if (await db.transaction((tx) => applyOnce(tx, file, files))) applied.push(file)
  } catch (error) {
    if (!isSqlError(error, INSUFFICIENT_PRIVILEGE)) throw error
    throw new UserError(
      `The role of DATABASE_URL may not do what is needed: ${error.message}. Make it the owner of the database and of all in it.`,
    )
  }
  return applied
}

/** The files that a database has had applied, of whatever version, in order. */
export async function appliedMigrations(db: Db): Promise<string[]> {
  const { rows } = await db.query('select file from _migrations order by file collate "C"')
  return rows.map(([file]) => String(file))
}

/** The files that are still to be applied; those of a newer version do not count. */
export async function missingMigrations(db: Db): Promise<string[]> {
  const known = new Set(await appliedMigrations(db))
  return migrationFiles().filter((file) => !known.has(file))
}

/** Those of `applied` that this version does not have: a newer one applied them. */
export const unknownMigrations = (applied: readonly string[]): string[] =>
  applied.filter((file) => !migrationFiles().includes(file))

async function applyOnce(tx: Db, file: string, files: readonly string[]): Promise<boolean> {
  // whoever comes second waits for the first, however much there is to do
  await tx.limitStatements(0)
  await tx.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
  await tx.script(
    'create table if not exists _migrations (file text primary key, applied timestamptz not null default now())',
  )
  const known = await tx.kysely.selectFrom('_migrations').select('file').execute()
  const unknown = known.map((row) => row.file).filter((name) => !files.includes(name))
  if (unknown.length > 0) {
    throw new UserError(
      `The database was migrated by a newer version of pocketsms (${unknown.join(', ')}). Install that version.`,
    )
  }
  if (known.some((row) => row.file === file)) return false
  await tx.script(readFileSync(new URL(file, FOLDER), 'utf8'))
  await tx.kysely.insertInto('_migrations').values({ file }).execute()
  return true
}
