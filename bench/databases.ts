import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { openEmbedded } from '../src/platform/db/embedded/embedded.ts'
import { makePostgresSettings } from '../src/platform/db/embedded/postgres-settings.ts'
import { createLogger } from '../src/platform/log.ts'
import { createDatabase } from '../test/support/database/postgres.ts'
import { seed } from './seed.ts'

const HOME = fileURLToPath(new URL('..', import.meta.url))

/** Settings that an older Postgres at another place has, too. */
const SETTINGS = `select name, current_setting(name) as value from pg_settings
  where source = 'command line' and name !~ '^(port|listen_addresses|unix_socket_|io_|data_directory|config_file)'`

/** Lets the server itself make its tables in an empty database. */
function bootstrap(env: Record<string, string>, home = HOME): void {
  execFileSync(process.execPath, [join(home, 'src/main/cli.ts'), 'migrate'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** A filled database with the tables of this checkout, or of another one. Returns its url. */
export async function seedDatabase(adminUrl: string, home = HOME): Promise<string> {
  const ours = await createDatabase(adminUrl)
  bootstrap({ DATABASE_URL: ours }, home)
  const client = new pg.Client({ connectionString: ours })
  await client.connect()
  await seed(async (text) => void (await client.query(text)))
  await client.end()
  return ours
}

/** Two equal databases on one server: url of ours, url of the bare server's. */
export async function seedPostgres(adminUrl: string): Promise<[ours: string, bare: string]> {
  const ours = await seedDatabase(adminUrl)
  return [ours, await createDatabase(adminUrl, 'bench_bare', new URL(ours).pathname.slice(1))]
}

const GB = 2 ** 30

/**
 * Fills the embedded database of a data folder, and leaves it running with the settings for a machine of
 * 1 GB, so that servers use it like that. Returns these settings.
 */
export async function seedEmbedded(folder: string) {
  bootstrap({ DATABASE_URL: '', DATA_DIR: folder })
  const { url, close } = await openEmbedded(
    folder,
    createLogger({ logLevel: 'warn' }),
    makePostgresSettings(GB),
  )
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await seed(async (text) => void (await client.query(text)))
  const { rows } = await client.query(SETTINGS)
  await client.end()
  const settings: Record<string, string> = Object.fromEntries(
    rows.map(({ name, value }) => [name, value]),
  )
  return { settings, close }
}
