import { createHash } from 'node:crypto'
import start from '../../../../sql/migrations/0001_start.json' with { type: 'json' }
import { UserError } from '../../api-errors.ts'
import type { Db } from '../open.ts'
import { readSqlFiles } from './sql-files.ts'

const START_FILE = '0001_start.sql'

/**
 * Names of the tables that 0001_start.sql makes, each with its columns in order of name. Databases and
 * backups of the commit before 0002_hashes.sql are recognized by them.
 */
export const START_TABLES: ReadonlyMap<string, string> = new Map(Object.entries(start.tables))

const START_TYPES = new Map([...START_TABLES, ...Object.entries(start.types)])

/** A migration that was applied. `sha256`: of its file, null in a schema that is older than hashes. */
export interface AppliedMigration {
  readonly file: string
  readonly sha256: string | null
}

interface Migration {
  readonly file: string
  readonly sql: string
  readonly sha256: string
}

let migrations: readonly Migration[] | undefined

/** This version's migrations, in order. Hashed once: readiness asks for them each second. */
export const listMigrations = (): readonly Migration[] =>
  (migrations ??= readSqlFiles('migrations').map(({ name, sql }) => ({
    file: `${name}.sql`,
    sql,
    // a clone on Windows may have other line ends
    sha256: createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex'),
  })))

/** The migrations in `applied` that this version lacks. A newer version applied them. */
export function findUnknownMigrations(applied: readonly AppliedMigration[]): string[] {
  const known = new Set(listMigrations().map(({ file }) => file))
  return applied.map(({ file }) => file).filter((file) => !known.has(file))
}

/**
 * Throws a UserError if another commit made the schema of `what`, a database or a backup. `columnsOf`: the
 * columns of its tables as in START_TABLES. `needed`: what a schema without hashes must have.
 */
export function requireKnownSchema(
  what: string,
  applied: readonly AppliedMigration[],
  columnsOf: ReadonlyMap<string, string>,
  needed: ReadonlyMap<string, string> = START_TYPES,
): void {
  const part = isOlderThanHashes(applied)
    ? [...needed.keys()].find((name) => columnsOf.get(name) !== needed.get(name))
    : findChangedMigration(applied)
  if (part !== undefined)
    throw new UserError(
      `${what} was made before 0.3.0 by another commit: this version makes ${part} differently. Nothing was changed. Go on with that commit, or take the data along: docs/deploy.md#data-of-another-commit`,
    )
}

const isOlderThanHashes = (applied: readonly AppliedMigration[]) =>
  applied.every(({ file, sha256 }) => file === START_FILE && sha256 === null)

function findChangedMigration(applied: readonly AppliedMigration[]): string | undefined {
  const hashes = new Map(applied.map(({ file, sha256 }) => [file, sha256]))
  return listMigrations().find(
    ({ file, sha256 }) => hashes.has(file) && hashes.get(file) !== sha256,
  )?.file
}

const COLUMNS = `
select c.relname, string_agg(format('%s %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' order by a.attname collate "C")
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
where c.relname = any($1) and c.relkind in ('r', 'c') and c.relnamespace = current_schema()::regnamespace
group by c.relname`

/** The columns of those tables and types of 0001_start.sql that the database has. */
export async function loadStartColumns(db: Db): Promise<Map<string, string>> {
  const { rows } = await db.query(COLUMNS, [[...START_TYPES.keys()]])
  return new Map(rows.map(([name, columns]) => [String(name), String(columns)]))
}
