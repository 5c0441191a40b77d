import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { openArchive } from '../../../src/engine/backup/read-archive.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { readClusterUrl } from '../../../src/platform/db/embedded/cluster-access.ts'
import { tablesWith } from '../../support/database/dump.ts'
import { EmbeddedData } from '../../support/database/embedded-data.ts'
import { filesWith } from '../../support/database/files-with.ts'
import { runServer } from '../../support/database/open.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { PROGRAM } from '../../support/server/program-files.ts'
import { must, withDevices } from '../../support/server/server-with-devices.ts'
import { ended, makeShop, seedPerson } from './person-fixture.ts'

// An erasure on the embedded Postgres, then a search of its whole data folder, and of a backup.

const folder = temporaryFolder()
const data = new EmbeddedData(folder)
data.make()
const config = readConfig({
  ...data.env,
  PORT: '0',
  LOG_LEVEL: 'silent',
  WEBHOOK_ALLOW_PRIVATE: 'true',
})
const gateway = await withDevices(await runServer(config))
const of = await makeShop(gateway)
const { db } = gateway.server.services.store
const cluster = realpathSync(join(folder, 'postgres'))

const program = (...args: string[]) =>
  execFileSync(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, ...data.env },
    encoding: 'utf8',
  })

/** Writes everything that is in memory to the files. */
async function checkpoint(): Promise<void> {
  const client = new pg.Client(readClusterUrl(cluster, 'postgres'))
  await client.connect()
  await client.query('checkpoint')
  await client.end()
}

test('after an erasure and `scrub`, no table, no file and no backup has a word of the person', {
  timeout: 300_000,
}, async () => {
  const person = await seedPerson(of)
  const other = await seedPerson(of)
  const words = [...person.secrets, ...person.spellings]
  await checkpoint()
  expect(filesWith(cluster, words).length).toBeGreaterThan(1)
  const { id } = await must(of.shop, 'POST', `/api/contacts/${person.contact}/erase`, {
    reason: 'Asked',
  })
  expect(await ended(of.shop, id)).toMatchObject({ state: 'done' })
  expect(await tablesWith(db, words)).toEqual([])
  // the free space of tables and indexes, and the log: so the documentation says
  await db.unhurried('vacuum')
  await checkpoint()
  expect(filesWith(cluster, words)).not.toEqual([])
  expect(program('scrub')).toContain('hold no deleted data')
  expect(filesWith(cluster, words)).toEqual([])
  expect(filesWith(cluster, other.secrets).length).toBeGreaterThan(0)

  const file = join(temporaryFolder(), 'backup.zip')
  program('backup', '--to', file)
  const archive = await openArchive(file)
  const parts: Uint8Array[] = []
  for (const table of archive.manifest.tables)
    for await (const part of archive.contentOf(table)) parts.push(part)
  archive.close()
  const text = Buffer.concat(parts).toString()
  expect(words.filter((word) => text.includes(word))).toEqual([])
  expect(other.secrets.filter((word) => text.includes(word))).toEqual(other.secrets)
})
