import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { importPocketBase } from '../../../src/engine/import/import-pocketbase.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import type { TestStore } from '../../support/database/open.ts'

/** A collection as PocketBase stores it, and its rows. */
export interface SourceCollection {
  readonly id: string
  readonly name: string
  readonly type?: 'base' | 'auth' | 'view'
  readonly fields?: readonly object[]
  readonly indexes?: readonly string[]
  readonly options?: object
  readonly rules?: readonly (string | null)[]
  readonly created?: string
  readonly rows?: readonly Readonly<Record<string, SQLInputValue>>[]
}

export interface Source {
  readonly collections?: readonly SourceCollection[]
  readonly settings?: unknown
  /** Files by their path under `storage`. */
  readonly files?: readonly string[]
}

export const ID = {
  id: 'f_id',
  name: 'id',
  type: 'text',
  primaryKey: true,
  required: true,
  system: true,
}
/** What PocketBase has of each auth collection; this one is `users`. */
export const USERS = {
  id: '_pb_users_auth_',
  name: 'users',
  type: 'auth',
  fields: [
    ID,
    {
      id: 'f_pass',
      name: 'password',
      type: 'password',
      hidden: true,
      required: true,
      system: true,
      cost: 4,
    },
    {
      id: 'f_key',
      name: 'tokenKey',
      type: 'text',
      hidden: true,
      required: true,
      system: true,
      min: 30,
      max: 60,
    },
    { id: 'f_mail', name: 'email', type: 'email', system: true },
    { id: 'f_see', name: 'emailVisibility', type: 'bool', system: true },
    { id: 'f_ok', name: 'verified', type: 'bool', system: true },
  ],
  indexes: [
    'CREATE UNIQUE INDEX `idx_tokenKey__pb_users_auth_` ON `users` (`tokenKey`)',
    "CREATE UNIQUE INDEX `idx_email__pb_users_auth_` ON `users` (`email`) WHERE `email` != ''",
  ],
} as const satisfies SourceCollection

const COLLECTIONS = `create table _collections (id text primary key, system boolean default false not null,
  type text default 'base' not null, name text unique not null, fields json default '[]' not null,
  indexes json default '[]' not null, listRule text, viewRule text, createRule text, updateRule text, deleteRule text,
  options json default '{}' not null, created text default '' not null, updated text default '' not null)`
const PARAMS = `create table _params (id text primary key, value json, created text default '', updated text default '')`
const UPDATED = '2024-02-02 02:02:02.222Z'

const sqlType = ({ type }: { type?: string }) =>
  type === 'number'
    ? 'NUMERIC DEFAULT 0'
    : type === 'bool'
      ? 'BOOLEAN DEFAULT FALSE'
      : `TEXT DEFAULT ''`

/** Writes a data directory as PocketBase leaves one behind. */
export function writeSource(
  folder: string,
  { collections = [], settings, files = [] }: Source,
): string {
  mkdirSync(folder, { recursive: true })
  const db = new DatabaseSync(join(folder, 'data.db'))
  db.exec('pragma journal_mode = wal')
  db.exec(COLLECTIONS)
  db.exec(PARAMS)
  for (const collection of collections) addCollection(db, collection)
  if (settings !== undefined) {
    const value = typeof settings === 'string' ? settings : JSON.stringify(settings)
    db.prepare('insert into _params (id, value) values (?, ?)').run(
      'settings',
      new TextEncoder().encode(value),
    )
  }
  db.close()
  for (const file of files) {
    const path = join(folder, 'storage', file)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, file)
  }
  return folder
}

function addCollection(db: DatabaseSync, collection: SourceCollection): void {
  const { id, name, type = 'base', fields = [], indexes = [], options = {}, rows = [] } = collection
  const [list = null, view = null, create = null, update = null, remove = null] =
    collection.rules ?? []
  db.prepare(
    `insert into _collections (id, type, name, fields, indexes, listRule, viewRule, createRule, updateRule, deleteRule,
      options, created, updated) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    ...[
      id,
      type,
      name,
      JSON.stringify(fields),
      JSON.stringify(indexes),
      list,
      view,
      create,
      update,
      remove,
    ],
    ...[JSON.stringify(options), collection.created ?? '2024-01-01 01:01:01.111Z', UPDATED],
  )
  if (type === 'view') return
  const columns = fields as readonly { name: string; type: string }[]
  db.exec(
    `create table "${name}" (${columns.map((field) => `"${field.name}" ${sqlType(field)}`).join(', ')})`,
  )
  for (const row of rows) {
    const names = Object.keys(row).map((key) => `"${key}"`)
    db.prepare(`insert into "${name}" (${names}) values (${names.map(() => '?')})`).run(
      ...Object.values(row),
    )
  }
}

/** Names, sizes and contents of all files of a folder. */
export function contentsOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => `${file} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`)
}

/** Imports a data directory. Answers the lines of the summary. */
export async function bringSource(store: TestStore, folder: string): Promise<string[]> {
  return (
    await importPocketBase(
      store,
      collectExtensions({ webhookAllowPrivate: false }),
      folder,
      () => {},
    )
  ).split('\n')
}
