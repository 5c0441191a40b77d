import type { TestServer } from '../../support/database/open.ts'
import { base, relation, text, USERS } from '../../support/server/schema.ts'
import { client, signIn as signInAs } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, startServer } from '../../support/server/start.ts'

// Users own notes, notes have replies, news are for all, patrons are managed by their sponsor.

const PASSWORD = 'secret-enough'
export const ANN = { id: 'userann00000001', email: 'ann@example.com', password: PASSWORD } as const
export const BEN = { id: 'userben00000001', email: 'ben@example.com', password: PASSWORD } as const

const SCHEMA = [
  base('news', [
    text('title', { max: 100_000 }),
    text('secret', { hidden: true }),
    { name: 'open', type: 'bool' },
  ]),
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
  base('patrons', [relation('sponsor', USERS)], {
    type: 'auth',
    manageRule: '@request.auth.id = sponsor',
  }),
]

export const FIXTURES = {
  users: [
    { ...ANN, name: 'Ann', verified: true },
    { ...BEN, name: 'Ben', verified: true },
  ],
}

/** A server with all of this, and SUPERUSER. */
export const startRealtimeServer = (env: Record<string, string> = {}): Promise<TestServer> =>
  startServer({ schema: SCHEMA, fixtures: FIXTURES, env })

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
  const { status, body: answer } = await client(url, '', token).call(method, `/api/${path}`, body)
  if (expected === undefined ? status >= 300 : status !== expected)
    throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
  return answer
}

/** Tokens of those who sign in. */
export async function signIn(url: string): Promise<{ ann: string; ben: string; root: string }> {
  const token = async (
    collection: string,
    { email, password }: { email: string; password: string },
  ) => (await signInAs(url, collection, email, password)).token
  return {
    ann: await token('users', ANN),
    ben: await token('users', BEN),
    root: await token('_superusers', SUPERUSER),
  }
}
