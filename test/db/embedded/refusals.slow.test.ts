import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endPostmaster } from '../../../src/db/embedded/postmaster.ts'
import { ask, openHere, refusalOf } from '../../support/database/embedded.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'

// Why the embedded database does not start: a sentence each.

const whole = join(temporaryFolder(), 'data')
await (await openHere(whole)).close()

/** A copy of the cluster. */
function copy(): string {
  const folder = join(temporaryFolder(), 'data')
  cpSync(whole, folder, { recursive: true })
  chmodSync(join(folder, 'postgres'), 0o700)
  return folder
}

test('a path that is too long for a socket', async () => {
  const folder = join(temporaryFolder(), 'x'.repeat(100))
  expect(await refusalOf(folder)).toMatch(/^The path of the data folder is too long for .* by \d+ bytes/)
})

test('a data folder that is a file', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(await refusalOf(file)).toMatch(
    /^The data folder .*file cannot be used: .* DATA_DIR names another\.$/,
  )
})

test.each([
  ['global/pg_control', 'x', /pg_control/],
  ['postgresql.conf', 'wal_level = x', /HINT: .*Available values/],
])('a damaged %s: with the last words of Postgres', async (file, text, words) => {
  const folder = copy()
  writeFileSync(join(folder, 'postgres', file), text)
  const said = await refusalOf(folder)
  expect(said).toMatch(/^The database in .* does not start\. Postgres said:\n/)
  expect(said).toMatch(words)
})

test.each<[string, (folder: string) => Promise<unknown>, RegExp]>([
  [
    'another password',
    async (folder) => {
      const file = join(folder, 'postgres', 'pocketsms.json')
      writeFileSync(file, readFileSync(file, 'utf8').replace(/[0-9a-f]{48}/, '0'.repeat(48)))
    },
    /^The password in .*pocketsms\.json is wrong\. Stop all servers, remove the file/,
  ],
  [
    'no database in it',
    async (folder) => {
      const { superuserUrl, close } = await openHere(folder)
      await ask(superuserUrl, 'drop database pocketsms with (force)')
      await close()
      await endPostmaster(join(folder, 'postgres'))
    },
    /is not whole, .*Remove it and start again/,
  ],
])('%s: nothing is left running', async (_, damage, refusal) => {
  const folder = copy()
  await damage(folder)
  expect(await refusalOf(folder)).toMatch(refusal)
  expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(false)
})

test('programs that are none', async () => {
  vi.stubEnv('POSTGRES_BIN', temporaryFolder())
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await refusalOf(temporaryFolder())).toMatch(
    /^POSTGRES_BIN=.* has no programs of Postgres 15 or later/,
  )
})

test.runIf(process.platform === 'linux')(
  'another host or container has it',
  { timeout: 60_000 },
  async () => {
    const folder = copy()
    const lock = join(folder, 'postgres', 'pocketsms.lock')
    const holder = spawn('flock', [lock, 'sh', '-c', 'echo locked; read x'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    await once(holder.stdout, 'data')
    expect(await refusalOf(folder)).toMatch(/is in use on another host or in another container/)
    holder.stdin.end()
    await once(holder, 'exit')
    await (await openHere(folder)).close()
  },
)

test('what a killed process left of a new cluster is removed', async () => {
  const folder = join(temporaryFolder(), 'data')
  mkdirSync(join(folder, 'postgres.new.999999999'), { recursive: true })
  const { close } = await openHere(folder)
  await close()
  expect(() => mkdirSync(join(folder, 'postgres.new.999999999'))).not.toThrow()
})
