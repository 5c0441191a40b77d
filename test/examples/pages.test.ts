import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { EXAMPLES, readExample } from './example.ts'

const MAX_LINES = 40
const folders = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

describe.each(folders)('the example %s', (folder) => {
  test(`an example has a README of at most ${MAX_LINES} lines`, () => {
    expect(readExample(`${folder}/README.md`).trimEnd().split('\n').length).toBeLessThanOrEqual(
      MAX_LINES,
    )
  })

  test('an example has a row in the list of examples, and a test', () => {
    expect(readExample('README.md')).toContain(`\n| [${folder}](${folder}) |`)
    const tests = [`${folder}.test.ts`, `${folder}.slow.test.ts`]
    expect(tests.some((file) => existsSync(join(import.meta.dirname, file)))).toBe(true)
  })
})
