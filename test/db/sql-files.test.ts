import { globSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SQL = fileURLToPath(new URL('../../sql/', import.meta.url))
const MAX_FILES = 20
const MAX_COLUMNS = 110

const files = globSync('**/*.sql', { cwd: SQL })

test('sql/ has files to look at', () => expect(files.length).toBeGreaterThan(50))

test(`no folder of sql/ has more than ${MAX_FILES} files`, () => {
  const folders = globSync('**/', { cwd: SQL })
  expect(folders.filter((folder) => readdirSync(`${SQL}${folder}`).length > MAX_FILES)).toEqual([])
})

test(`comments have at most ${MAX_COLUMNS} columns`, () => {
  const long = files.flatMap((file) =>
    readFileSync(`${SQL}${file}`, 'utf8')
      .split('\n')
      .filter((line) => line.trim().startsWith('--') && line.length > MAX_COLUMNS)
      .map((line) => `${file}: ${line}`),
  )
  expect(long).toEqual([])
})
