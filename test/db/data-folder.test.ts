import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openPglite } from '../../src/db/pglite/backend.ts'
import { UserError } from '../../src/errors.ts'
import { createLogger } from '../../src/log.ts'

// A data folder that is of no use ends a start with a sentence that names it.

const log = createLogger({ logLevel: 'silent' })
const folder = mkdtempSync(join(tmpdir(), 'pocketsms-folder-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = join(folder, 'file')
writeFileSync(file, '')
const damaged = join(folder, 'damaged')
mkdirSync(join(damaged, 'pglite'), { recursive: true })
writeFileSync(join(damaged, 'pglite', 'PG_VERSION'), 'x')

test.each([
  ['a file', file, /^The data folder .*file cannot be used: EEXIST/],
  ['below a file', join(file, 'data'), /^The data folder .*data cannot be used: ENOTDIR/],
  ['a damaged database', damaged, /^The database in .*pglite does not start: .* put a backup in their place/],
])('%s', async (_, name, sentence) => {
  const error = await openPglite(name, log).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(UserError)
  expect((error as UserError).message).toMatch(sentence)
})

test('what failed once is not locked by it', async () => {
  await openPglite(damaged, log).catch(() => {})
  await expect(openPglite(damaged, log)).rejects.toThrow('does not start')
})
