import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { BUILT_IN } from '../src/main/collection-definitions.ts'
import { freePort } from '../test/support/database/postgres.ts'
import { startProgram } from '../test/support/server/program.ts'
import { ask, type Contender, signIn, tokensBy } from './contender.ts'

const SUPERUSER = { identity: 'bench@example.com', password: 'bench-superuser-1' }
/** PocketBase does not let a collection's id equal its name. */
const PREFIX = 'cid_'
const BATCH = 10_000

type Json = Record<string, unknown> & {
  id: string
  name: string
  fields: { collectionId?: string }[]
}

/**
 * Starts a real PocketBase on the same collections, users, devices and messages, and answers it twice: once
 * with the simplest rule that shows users their messages, once with the rules of our own collection.
 */
export async function startPocketBase(binary: string, databaseUrl: string): Promise<Contender[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-pocketbase-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // PocketBase writes migrations beside its data folder
  const data = join(folder, 'data')
  const flags = ['--dir', data, '--dev=false']
  execFileSync(binary, ['superuser', 'upsert', SUPERUSER.identity, SUPERUSER.password, ...flags], {
    stdio: 'ignore',
  })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const launch = () =>
    startProgram(binary, ['serve', '--http', `127.0.0.1:${port}`, ...flags], {}, url, '/api/health')

  const first = await launch()
  const collections = ourCollections()
  const token = await superuserToken(url)
  await ask(`${url}/api/collections/import`, {
    method: 'PUT',
    token,
    body: { collections, deleteMissing: true },
  })
  await first.stop()
  await copyRows(databaseUrl, join(data, 'data.db'))

  const server = await launch()
  const tokens = await tokensBy((user) => signIn(url, user))
  const superuser = await superuserToken(url)
  const ours = collections.find(({ name }) => name === 'sms_messages')?.listRule
  const contender = (name: string, rule: unknown): Contender => ({
    name,
    url,
    pid: server.pid,
    speaks: 'records',
    tokens,
    stop: server.stop,
    async prepare() {
      const body = { listRule: rule, viewRule: rule }
      await ask(`${url}/api/collections/sms_messages`, { method: 'PATCH', token: superuser, body })
    },
  })
  return [
    contender('PocketBase, simple', 'user = @request.auth.id'),
    contender('PocketBase, ours', ours),
  ]
}

async function superuserToken(url: string): Promise<string> {
  const path = '/api/collections/_superusers/auth-with-password'
  return (await ask<{ token: string }>(url + path, { body: SUPERUSER })).token
}

function ourCollections(): Json[] {
  const all = [...BUILT_IN.raw.values()] as object[] as readonly Json[]
  const own = new Set(all.filter(({ id, name }) => id === name).map(({ id }) => id))
  const renamed = (id: string) => (own.has(id) ? PREFIX + id : id)
  return all.map((collection) => ({
    ...collection,
    id: renamed(collection.id),
    fields: collection.fields.map((field) =>
      field.collectionId ? { ...field, collectionId: renamed(field.collectionId) } : field,
    ),
  }))
}

/** Copies users, devices and messages from Postgres into PocketBase's file while it is stopped. */
async function copyRows(databaseUrl: string, file: string): Promise<void> {
  const from = new pg.Client({ connectionString: databaseUrl })
  await from.connect()
  const to = new DatabaseSync(file)
  try {
    for (const table of ['users', 'devices', 'sms_messages']) await copyTable(from, to, table)
    to.exec('analyze; pragma wal_checkpoint(truncate)')
  } finally {
    to.close()
    await from.end()
  }
}

async function copyTable(from: pg.Client, to: DatabaseSync, table: string): Promise<void> {
  const names = to
    .prepare(`select name from pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => String(name))
  const list = names.map((name) => `"${name}"`).join(', ')
  const insert = to.prepare(
    `insert into "${table}" (${list}) values (${names.map(() => '?').join(', ')})`,
  )
  await from.query(`begin; declare c cursor for select ${list} from "${table}" order by _rowid`)
  for (;;) {
    const { rows } = await from.query({ text: `fetch ${BATCH} from c`, rowMode: 'array' })
    if (rows.length === 0) break
    to.exec('begin')
    for (const row of rows as unknown[][]) insert.run(...row.map(toSqlite))
    to.exec('commit')
  }
  await from.query('rollback')
}

function toSqlite(value: unknown): string | number | null {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null || typeof value === 'number' || typeof value === 'string') return value
  return JSON.stringify(value)
}
