import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { type Embedded, openEmbedded } from '../../../src/platform/db/embedded/embedded.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { databaseFolder } from './database-folder.ts'
import { createDatabase, onServer, PLAIN_ROLE } from './postgres.ts'
import { prepareDatabase } from './prepare.ts'

/** Nothing is kept of these databases. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  // the same on each machine: Postgres looks through all buffers when a database is dropped
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '1h',
}

/** Stops the server when standard input ends, as it does when the process of the tests is killed. */
const UNTIL_INPUT_ENDS = `
  cat >/dev/null
  while kill -INT $(head -n 1 "$1/data/postgres/postmaster.pid") 2>/dev/null; do sleep 1; done
  rm -rf "$1"`

let server: Embedded | undefined
let watch: ChildProcess | undefined
let folder = ''

/**
 * Runs once before the tests: EMBEDDED_URL becomes an embedded Postgres on which they make databases of their
 * own, EMBEDDED_TEMPLATE a prepared one there to copy. It sorts text as English does, as servers in the wild
 * do: what forgets to say COLLATE "C" fails here.
 */
export async function setup(): Promise<void> {
  if (process.env.EMBEDDED_URL) return
  folder = mkdtempSync(join(databaseFolder(), 'pocketsms-tests-'))
  watch = spawn('sh', ['-c', UNTIL_INPUT_ENDS, 'sh', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watch.unref()
  server = await openEmbedded(join(folder, 'data'), createLogger({ logLevel: 'warn' }), SETTINGS)
  const { superuserUrl } = server
  const { password } = new URL(superuserUrl)
  await onServer(superuserUrl, `create role ${PLAIN_ROLE} login createdb password '${password}'`)
  await onServer(
    superuserUrl,
    `create database english template template0 locale_provider icu icu_locale 'en-US' is_template true`,
  )
  const template = await createDatabase(superuserUrl, 'prepared', 'english')
  await prepareDatabase({ DATABASE_URL: template, DATA_DIR: '' })
  process.env.EMBEDDED_URL = superuserUrl
  process.env.EMBEDDED_TEMPLATE = 'prepared'
}

export async function teardown(): Promise<void> {
  await server?.close()
  watch?.stdin?.end()
}
