import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { UserError } from '../../api-errors.ts'
import { LOCKS } from '../advisory-locks.ts'
import { evaluateSql, executeStatement } from '../call-function.ts'
import {
  DatabaseUnavailable,
  formatErrorHint,
  isSqlError,
  OutdatedServer,
} from '../database-errors.ts'
import type { Db } from '../open.ts'
import { acquireLock, matchAny, queries } from '../queries.ts'
import { NO_COLLECTIONS } from '../tables.ts'
import {
  type AppliedMigration,
  findUnknownMigrations,
  listMigrations,
  loadStartColumns,
  requireKnownSchema,
} from './known-schema.ts'
import { loadOldestServer } from './oldest-server.ts'
import { readSqlFiles, type SqlFile } from './sql-files.ts'

const INSUFFICIENT_PRIVILEGE = '42501'
const ADMIN_SHUTDOWN = '57P01'
/** Maximum tries. Another server's migration may end this connection, but only once. */
const TRIES = 3

const MAKE_TABLE =
  'create table if not exists _migrations (file text primary key, applied timestamptz not null default now())'

/** Adds the column of hashes to `_migrations`. */
const HASHES_FILE = '0002_hashes.sql'

/**
 * Brings the schema up to date in one transaction. Ends all connections if older servers must not use it any
 * more. Returns the new migrations. Throws a UserError if the schema is too new or cannot be changed.
 */
export async function migrateDatabase(
  db: Db,
  only?: readonly string[],
  tries = TRIES,
): Promise<string[]> {
  try {
    return await db.transaction((tx) => bringSchemaUpToDate(tx, only))
  } catch (error) {
    const wasEnded = error instanceof DatabaseUnavailable && isSqlError(error.cause, ADMIN_SHUTDOWN)
    if (wasEnded && tries > 1) return migrateDatabase(db, only, tries - 1)
    if (error instanceof DatabaseUnavailable && !(error instanceof OutdatedServer))
      throw new UserError(
        `The migration failed and changed nothing: ${formatErrorHint(error.cause)}. Correct this and start again.`,
      )
    if (!isSqlError(error, INSUFFICIENT_PRIVILEGE)) throw error
    throw new UserError(
      `The role of DATABASE_URL lacks a right: ${error.message}. Make it the owner of the database and of everything in it.`,
    )
  }
}

/** All migrations that any version of pocketsms has applied to the database, in order. */
export async function listAppliedMigrations(db: Db): Promise<AppliedMigration[]> {
  // databases of versions before the hashes lack the column
  const rows = sql<AppliedMigration>`
    select file, to_jsonb(m) ->> 'sha256' as sha256 from _migrations m order by file collate "C"`
  return executeStatement(db, rows)
}

/** Whether all of this version's migrations are applied, with the text that they have in this version. */
export async function isMigrated(db: Db): Promise<boolean> {
  const hashes = new Map(
    (await listAppliedMigrations(db)).map(({ file, sha256 }) => [file, sha256]),
  )
  return listMigrations().every(({ file, sha256 }) => hashes.get(file) === sha256)
}

/**
 * Returns the applied migrations, also those of a newer version. Throws a UserError if another commit made
 * the database before 0.3.0, or if it is incomplete.
 */
export async function loadKnownMigrations(db: Db): Promise<AppliedMigration[]> {
  const hasList = await evaluateSql(db, sql<boolean>`to_regclass('_migrations') is not null`)
  const applied = hasList ? await listAppliedMigrations(db) : []
  const columns = await loadStartColumns(db)
  if (applied.length > 0) requireKnownSchema('The database', applied, columns)
  else if (columns.size > 0) throw makePartialError('list of its migrations')
  return applied
}

/** Returns the applied migrations. Throws a UserError if this version does not know the schema. */
export async function checkSchema(db: Db): Promise<AppliedMigration[]> {
  const applied = await loadKnownMigrations(db)
  const unknown = findUnknownMigrations(applied)
  if (unknown.length === 0) return applied
  throw new UserError(
    `The database was migrated by a newer version of pocketsms (${unknown.join(', ')}). Install that version.`,
  )
}

async function bringSchemaUpToDate(tx: Db, only?: readonly string[]): Promise<string[]> {
  // no time limit: a node may wait long for another one's migration
  await tx.limitStatements(0)
  await tx.script(`set local application_name = 'migration of pocketsms'`)
  await acquireLock(tx, LOCKS.migration)
  await tx.script(MAKE_TABLE)
  const applied = (await checkSchema(tx)).map(({ file }) => file)
  const missing = listMigrations().filter(
    ({ file }) => !applied.includes(file) && (only?.includes(file) ?? true),
  )
  const oldest = applied.length > 0 ? await loadOldestServer(tx) : undefined
  const functions = await applyFunctions(tx)
  for (const { file, sql } of missing) {
    await tx.script(sql)
    await queries(tx).insertInto('_migrations').values({ file }).execute()
  }
  await dropOldFunctions(tx, functions)
  if (!only) await requireAllTables(tx)
  if ([...applied, ...missing.map(({ file }) => file)].includes(HASHES_FILE)) await recordHashes(tx)
  if (oldest !== undefined && (await loadOldestServer(tx)) > oldest) {
    // the version check of new connections waits for this lock until the commit
    await tx.script('lock table _schema')
    await tx.endOthers()
  }
  return missing.map(({ file }) => file)
}

const makePartialError = (missing: string) =>
  new UserError(
    `The database is incomplete: the ${missing} is missing, as after a restore that was interrupted. Nothing was changed. Restore the backup into an empty database.`,
  )

/** Throws a UserError if a table or type of the schema is missing. */
async function requireAllTables(tx: Db): Promise<void> {
  const missing = sql<{ name: string }>`
    select name from unnest(${[...NO_COLLECTIONS]}::text[]) name where to_regtype(quote_ident(name)) is null limit 1`
  for (const { name } of await executeStatement(tx, missing))
    throw makePartialError(`table ${name}`)
}

/** Writes the hashes of migrations that have none yet. */
async function recordHashes(tx: Db): Promise<void> {
  const all = listMigrations()
  const hashes = sql`unnest(${all.map(({ file }) => file)}::text[], ${all.map(({ sha256 }) => sha256)}::text[])`
  await sql`update _migrations m set sha256 = h.sha256 from ${hashes} as h(file, sha256)
    where h.file = m.file and m.sha256 is null`.execute(tx)
}

const MAKE_FUNCTIONS =
  'create table if not exists _functions (name text collate "C" primary key, checksum text collate "C" not null)'

const OLD = `
select p.oid::regprocedure::text from pg_proc p
where p.pronamespace = current_schema()::regnamespace and p.proname = any($1)
  and p.xmin <> pg_current_xact_id()::xid
  and not exists (select from pg_depend d where d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid)`

/** Replaces changed SQL functions before migrations use them. Returned `gone`: functions without a file. */
async function applyFunctions(tx: Db) {
  await tx.script(MAKE_FUNCTIONS)
  const rows = await queries(tx).selectFrom('_functions').select(['name', 'checksum']).execute()
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]))
  const files = readSqlFiles('functions')
  const changed = files.filter((file) => applied.get(file.name) !== hashSqlFile(file))
  const names = changed.map(({ name }) => name)
  if (changed.length > 0) {
    const all = changed.map(({ sql }) => sql).join('\n')
    await tx.script(
      `set local check_function_bodies = off; ${all}; set local check_function_bodies = on`,
    )
    await recordFunctions(tx, changed)
  }
  const present = new Set(files.map(({ name }) => name))
  return { changed: names, gone: [...applied.keys()].filter((name) => !present.has(name)) }
}

const recordFunctions = (tx: Db, changed: readonly SqlFile[]) =>
  queries(tx)
    .insertInto('_functions')
    .columns(['name', 'checksum'])
    .expression(({ selectFrom }) => {
      const names = changed.map(({ name }) => name)
      const pairs = sql<Record<'name' | 'checksum', string>>`
        unnest(${names}::text[], ${changed.map(hashSqlFile)}::text[])`
      return selectFrom(pairs.as<'c'>(sql`c(name, checksum)`)).select(['c.name', 'c.checksum'])
    })
    .onConflict((found) =>
      found.column('name').doUpdateSet(({ ref }) => ({ checksum: ref('excluded.checksum') })),
    )
    .execute()

type Changes = Awaited<ReturnType<typeof applyFunctions>>
/** Drops functions without a file, and old overloads of changed functions, unless a view still uses them. */
async function dropOldFunctions(tx: Db, { changed, gone }: Changes): Promise<void> {
  if (changed.length === 0 && gone.length === 0) return
  const { rows } = await tx.query(OLD, [[...changed, ...gone]])
  for (const [signature] of rows) await tx.script(`drop function ${signature}`)
  await queries(tx)
    .deleteFrom('_functions as f')
    .where('f.name', '=', matchAny(gone))
    .where(
      sql<boolean>`not exists (
        select from pg_proc p where p.pronamespace = current_schema()::regnamespace and p.proname = f.name)`,
    )
    .execute()
}

const hashSqlFile = ({ sql }: SqlFile): string => createHash('sha256').update(sql).digest('hex')
