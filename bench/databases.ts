import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { openEmbedded } from '../src/db/embedded/embedded.ts'
import { createLogger } from '../src/log.ts'
import { createDatabase } from '../test/support/database/postgres.ts'
import { seed } from './seed.ts'

const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url))

/** Lets the server itself make its tables in an empty database. */
function bootstrap(env: Record<string, string>): void {
  execFileSync(process.execPath, [CLI, 'migrate'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** Two equal databases on one server: url of ours, url of the bare server's. */
export async function seedPostgres(adminUrl: string): Promise<[ours: string, bare: string]> {
  const ours = await createDatabase(adminUrl)
  bootstrap({ DATABASE_URL: ours })
  const client = new pg.Client({ connectionString: ours })
  await client.connect()
  await seed(async (text) => void (await client.query(text)))
  await client.end()
  return [ours, await createDatabase(adminUrl, 'bench_bare', new URL(ours).pathname.slice(1))]
}

/** Fills the embedded database of a data folder. */
export async function seedEmbedded(folder: string): Promise<void> {
  bootstrap({ DATABASE_URL: '', DATA_DIR: folder })
  const { url, close } = await openEmbedded(folder, createLogger({ logLevel: 'warn' }))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await seed(async (text) => void (await client.query(text)))
  await client.end()
  await close()
}
