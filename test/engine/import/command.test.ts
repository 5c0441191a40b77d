import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { testConfig } from '../../support/server/start.ts'

const CLI = fileURLToPath(new URL('../../../src/main/cli.ts', import.meta.url))

test('a failed import prints its reason and exits with 1', { timeout: 90_000 }, async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'records.json')
  writeFileSync(file, '{"nope":[]}')
  const { databaseUrl } = await testConfig()
  const env = { ...process.env, DATABASE_URL: databaseUrl ?? '', DATA_DIR: join(folder, 'data') }
  const options = { encoding: 'utf8', env, timeout: 80_000 } as const
  const { status, stderr } = spawnSync(
    process.execPath,
    [CLI, 'import', '--fixtures', file],
    options,
  )
  expect(stderr).toContain('there is no collection nope.')
  expect(status).toBe(1)
})
