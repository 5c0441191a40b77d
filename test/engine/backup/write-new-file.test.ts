import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeNewFile } from '../../../src/engine/backup/write-new-file.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'

test('the next file removes old leftovers of a killed process, not recent ones', async () => {
  const folder = temporaryFolder()
  const partial = await writeNewFile(join(folder, 'first.zip'), async (path) => {
    writeFileSync(path, '')
    return path
  })
  writeFileSync(partial, '')
  writeFileSync(`${partial}.young`, '')
  const old = new Date(Date.now() - 2 * 3_600_000)
  utimesSync(partial, old, old)
  await writeNewFile(join(folder, 'second.zip'), async (path) => writeFileSync(path, ''))
  const left = readdirSync(folder).filter((name) => name.startsWith('.'))
  expect(left.map((name) => join(folder, name))).toEqual([`${partial}.young`])
})
