import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from '../support/database/postgres.ts'
import { startProgram } from '../support/server/program.ts'
import { Client } from './client.ts'
import type { Corpus } from './corpus.ts'

/** PocketBase refuses a collection whose id equals a name. */
export const PREFIX = 'cid_'
const FIRST = { email: 'bootstrap@example.com', password: 'bootstrappass1' }

/** Starts a real PocketBase in a new folder, with the schema and the fixtures of a corpus. */
export async function startPocketBase(
  binary: string,
  corpus: Corpus,
  folder: string,
  ...more: string[]
) {
  const options = ['--dir', join(folder, 'data'), '--dev=false', ...more]
  const address = `127.0.0.1:${await freePort()}`
  const start = () =>
    startProgram(
      binary,
      ['serve', '--http', address, ...options],
      {},
      `http://${address}`,
      '/api/health',
    )
  execFileSync(binary, ['superuser', 'upsert', FIRST.email, FIRST.password, ...options])
  const preparing = await start()
  await fill(preparing.url, corpus)
  await preparing.stop()
  setTimes(join(folder, 'data', 'data.db'), corpus)
  return start()
}

async function fill(url: string, corpus: Corpus): Promise<void> {
  const first = { collection: '_superusers', identity: FIRST.email, password: FIRST.password }
  const client = new Client(url, { schema: corpus.schema, identities: { first } }, PREFIX)
  const ask = (method: string, path: string, body?: object) =>
    client.request({ as: 'first', method, path, body })
  const must = async (...asked: Parameters<typeof ask>) => {
    const { status, text } = await ask(...asked)
    if (status! >= 300) throw new Error(`${asked[1]}: ${status} ${text}`)
  }
  const batch = { enabled: true, maxRequests: 50, timeout: 3, maxBodySize: 0 }
  await must('PUT', '/api/collections/import', { collections: corpus.schema, deleteMissing: true })
  await must('PATCH', '/api/settings', { batch })
  // again and again, as records refer to later ones
  const creations = Object.entries(corpus.fixtures).flatMap(([name, rows]) =>
    rows.map(({ created, updated, ...row }) => {
      const body = row.password ? { ...row, passwordConfirm: row.password } : row
      return [`/api/collections/${name}/records`, body] as const
    }),
  )
  for (let left = creations; left.length > 0; ) {
    const refused: typeof creations = []
    for (const creation of left)
      if ((await ask('POST', ...creation)).status! >= 300) refused.push(creation)
    if (refused.length === left.length) await must('POST', ...refused[0]!)
    left = refused
  }
}

/** Sets the autodate fields, which the API does not, and deletes what the seeding left. */
function setTimes(file: string, { schema, fixtures }: Corpus): void {
  const database = new DatabaseSync(file)
  database.exec('BEGIN')
  for (const [name, rows] of Object.entries(fixtures)) {
    const fields = schema.find((collection) => collection.name === name)?.fields
    const dates = fields?.filter(({ type }) => type === 'autodate').map((field) => field.name)
    for (const row of rows)
      for (const date of dates ?? ['created', 'updated'])
        if (date in row)
          database
            .prepare(`UPDATE "${name}" SET "${date}" = ? WHERE id = ?`)
            .run(String(row[date]), row.id)
  }
  database.prepare('DELETE FROM _superusers WHERE email = ?').run(FIRST.email)
  database.exec('DELETE FROM _authOrigins; COMMIT')
  database.close()
}
