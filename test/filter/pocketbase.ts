import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '../support/server/program.ts'
import { RECORDS, SCHEMA } from './corpus.ts'

/** Joins of several lists keep PocketBase busy for minutes; they are given up. */
const MAX_SECONDS = 2

const ROOT = { identity: 'root@example.com', password: 'rootpass12345' }

/** A list's answer, as far as it can be compared: its ids, or that it was refused. */
export type Answer = readonly string[] | 'refused'

/** A real PocketBase with the corpus in it. */
export interface PocketBase {
  /** The ids of `collection` under a filter and sort; 'late' if it ran out of its time. */
  ask(as: string | null, collection: string, filter: string, sort: string): Promise<Answer | 'late'>
  stop(): Promise<void>
}

/** Starts the PocketBase of `binary` (v0.39.11) on `port`, in a folder that goes with it. */
export async function startPocketBase(binary: string, port: number): Promise<PocketBase> {
  const folder = mkdtempSync(join(tmpdir(), 'filter-pb-'))
  const options = [`--dir=${folder}`, '--dev=false', `--queryTimeout=${MAX_SECONDS}`]
  execFileSync(binary, ['superuser', 'upsert', ROOT.identity, ROOT.password, ...options], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const program = await startProgram(
    binary,
    ['serve', `--http=127.0.0.1:${port}`, ...options],
    {},
    url,
    '/api/health',
  )
  const tokens = new Map<string | null, string>([[null, '']])
  const call = async (as: string | null, method: string, path: string, body?: unknown) =>
    fetch(url + path, {
      method,
      // some of what SQLite does is not interrupted
      signal: AbortSignal.timeout(MAX_SECONDS * 10_000),
      headers: { authorization: tokens.get(as) ?? '', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const made = async (...request: Parameters<typeof call>) => {
    const response = await call(...request)
    if (!response.ok) throw new Error(`${request[2]}: ${await response.text()}`)
    return response.status === 204 ? null : response.json()
  }
  const signIn = async (name: string, collection: string, identity: string, password: string) => {
    const path = `/api/collections/${collection}/auth-with-password`
    const { token } = (await made(null, 'POST', path, { identity, password })) as { token: string }
    tokens.set(name, token)
  }
  await signIn('root', '_superusers', ROOT.identity, ROOT.password)
  await made('root', 'PUT', '/api/collections/import', { collections: SCHEMA })
  for (const [collection, records] of Object.entries(RECORDS)) {
    for (const record of records) {
      const body = 'password' in record ? { ...record, passwordConfirm: record.password } : record
      await made('root', 'POST', `/api/collections/${collection}/records`, body)
    }
  }
  await signIn('ann', 'people', 'p2@example.com', 'password123')
  return {
    async ask(as, collection, filter, sort) {
      const query = new URLSearchParams({ filter, sort, perPage: '500', fields: 'id', skipTotal: '1' })
      const started = Date.now()
      const path = `/api/collections/${collection}/records?${query}`
      const response = await call(as, 'GET', path).catch((error) => {
        if (error.name === 'TimeoutError') return undefined
        throw error
      })
      if (!response) return 'late'
      if (!response.ok) {
        await response.arrayBuffer()
        return Date.now() - started > MAX_SECONDS * 900 ? 'late' : 'refused'
      }
      const { items } = (await response.json()) as { items: { id: string }[] }
      return items.map((item) => item.id)
    },
    async stop() {
      await program.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
