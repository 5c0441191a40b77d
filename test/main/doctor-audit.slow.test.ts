import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { publishAuditEntries } from '../../src/engine/auth/audit/publish-audit-entries.ts'
import {
  type Environment,
  emptyDatabase,
  withDatabase,
} from '../support/database/empty-databases.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { PROGRAM } from '../support/server/program-files.ts'
import { SUPERUSER, startServer } from '../support/server/start.ts'

const place = await emptyDatabase()
const server = await startServer({ env: place })

function run(on: Environment, ...words: string[]): Promise<{ code: number; said: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return new Promise((resolve) => {
    const ended = (error: Error | null, said: string) =>
      resolve({ code: Number((error as { code?: number } | null)?.code ?? 0), said })
    execFile(
      process.execPath,
      [PROGRAM, ...words],
      { env: { PATH, NODE_COMPILE_CACHE, ...on } },
      ended,
    )
  })
}

test('the doctor checks the audit logs of a server and of its restored backup', async () => {
  const { store } = server.services
  const signIn = await fetch(`${server.url}/api/collections/_superusers/auth-with-password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identity: SUPERUSER.email, password: SUPERUSER.password }),
  })
  expect(signIn.status).toBe(200)
  await publishAuditEntries(store.db)
  const agrees = { code: 0, said: 'ok     2 entries have all their numbers.\n' }
  expect(await run(place, 'doctor', '--audit')).toEqual(agrees)

  const file = join(temporaryFolder(), 'backup.zip')
  const copy = await emptyDatabase()
  expect((await run(place, 'backup', '--to', file)).code).toBe(0)
  expect((await run(copy, 'restore', file)).code).toBe(0)
  expect(await run(copy, 'doctor', '--audit')).toEqual(agrees)

  await withDatabase(copy, (db) => db.query(`delete from _audit where action = 'sign in'`))
  const { code, said } = await run(copy, 'doctor', '--audit')
  expect(code).toBe(1)
  expect(said).toMatch(/^FAULT {2}Log of superusers: entry 2 is missing\.$/m)
})
