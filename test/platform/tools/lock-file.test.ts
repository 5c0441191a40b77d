import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../../src/platform/api-errors.ts'
import { lockFile } from '../../../src/platform/tools/lock-file.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'

const folder = temporaryFolder()
const file = join(folder, 'lock.pid')
/** Beyond what any system gives out. */
const NOBODY = 2 ** 30

beforeEach(() => rmSync(file, { force: true }))
const take = () => lockFile(file, (owner) => `Process ${owner} has it.`)

test('a lock file can be taken, released and taken again', () => {
  take()()
  expect(existsSync(file)).toBe(false)
  take()
  expect(existsSync(file)).toBe(true)
})

test('a lock of another process is refused with its process id', () => {
  writeFileSync(file, String(process.ppid))
  expect(take).toThrow(new UserError(`Process ${process.ppid} has it.`))
})

test.each([
  ['an ended process', String(NOBODY)],
  ['this process id before a restart in a container', String(process.pid)],
  ['a process whose id another program has now', `${process.ppid} 1`],
  ['nobody', ''],
  ['something else', 'no number'],
])('a lock left by %s is ignored', (_, text) => {
  writeFileSync(file, text)
  expect(take()).toBeTypeOf('function')
})
