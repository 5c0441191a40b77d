import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SUPERUSER } from '../support/server/start.ts'

// Users own notes, notes have replies, news are for all, patrons are managed by their sponsor.

const PASSWORD = 'secret-enough'
export const ANN = { id: 'userann00000001', email: 'ann@example.com', password: PASSWORD } as const
export const BEN = { id: 'userben00000001', email: 'ben@example.com', password: PASSWORD } as const

const USERS = '_pb_users_auth_'
const relation = (name: string, collectionId: string, options: object = {}) => ({
  name,
  type: 'relation',
  collectionId,
  maxSelect: 1,
  ...options,
})
const OPEN = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' }
const base = (id: string, fields: object[], rules: object = {}) => ({
  id,
  name: id,
  type: 'base',
  ...OPEN,
  ...rules,
  fields,
})
const text = (name: string, options: object = {}) => ({ name, type: 'text', ...options })

const SCHEMA = [
  base('news', [text('title'), text('secret', { hidden: true }), { name: 'open', type: 'bool' }]),
  base('notes', [text('title'), relation('owner', USERS)], {
    listRule: 'owner = @request.auth.id',
    viewRule: 'owner = @request.auth.id || title = @request.query.code',
  }),
  base('replies', [text('title'), relation('note', 'notes', { cascadeDelete: true })], {
    listRule: 'note.owner = @request.auth.id',
    viewRule: 'note.owner = @request.auth.id',
  }),
  base('drafts', [text('title'), { name: 'open', type: 'bool' }], {
    listRule: '@request.auth.name = "editor" || open = true',
    viewRule: 'open = true',
  }),
  base('vaults', [text('title')], { listRule: null, viewRule: null }),
  {
    ...base('patrons', [relation('sponsor', USERS)], { manageRule: '@request.auth.id = sponsor' }),
    type: 'auth',
  },
]

const FIXTURES = {
  users: [
    { ...ANN, name: 'Ann', verified: true },
    { ...BEN, name: 'Ben', verified: true },
  ],
}

/** Calls `use` with the files of the schema and the fixtures, which are gone afterwards. */
export async function withStage<T>(
  use: (files: { schema: string; fixtures: string }) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-stage-'))
  try {
    const files = { schema: join(folder, 'schema.json'), fixtures: join(folder, 'fixtures.json') }
    writeFileSync(files.schema, JSON.stringify(SCHEMA))
    writeFileSync(files.fixtures, JSON.stringify(FIXTURES))
    return await use(files)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
export type Json = any

/** A request to a server. Throws for an answer that is no success, unless `expected` says which one it is. */
export async function ask(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
  expected?: number,
): Promise<Json> {
  const response = await fetch(`${url}/api/${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: token }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await response.text()
  if (expected === undefined ? !response.ok : response.status !== expected)
    throw new Error(`${method} ${path}: ${response.status} ${answer}`)
  return answer === '' ? undefined : JSON.parse(answer)
}

/** Tokens of those who sign in. */
export async function signIn(url: string): Promise<{ ann: string; ben: string; root: string }> {
  const token = async (collection: string, { email, password }: { email: string; password: string }) =>
    (
      await ask(url, '', 'POST', `collections/${collection}/auth-with-password`, {
        identity: email,
        password,
      })
    ).token
  return {
    ann: await token('users', ANN),
    ben: await token('users', BEN),
    root: await token('_superusers', SUPERUSER),
  }
}
