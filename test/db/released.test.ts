import { readdirSync } from 'node:fs'
import { git, HOME, lastReleaseCommit } from '../support/server/other-version.ts'

const FOLDER = 'sql/migrations/'

const release = lastReleaseCommit()
const released = git('ls-tree', '--name-only', release, FOLDER).split('\n')

test('migrations of the last release are as they were', () => {
  expect(git('diff', '--name-only', release, '--', ...released)).toBe('')
})

test('functions that changed since the last release have a migration beside them', () => {
  const hasChanged = git('diff', '--name-only', release, '--', 'sql/functions') !== ''
  if (hasChanged) expect(readdirSync(HOME + FOLDER).length).toBeGreaterThan(released.length)
})
