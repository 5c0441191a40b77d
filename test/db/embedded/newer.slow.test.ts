import { globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { findPrograms, programsFor } from '../../../src/db/embedded/site.ts'
import { createLogger } from '../../../src/log.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'

/** Programs of the npm package that call themselves another version, as a system package installs them. */
function installed(version: string, isWhole: boolean): string {
  const [home, { bin }] = [temporaryFolder(), findPrograms(temporaryFolder())]
  mkdirSync(join(home, 'bin'))
  mkdirSync(join(home, 'lib'))
  if (isWhole) writeFileSync(join(home, 'lib/pg_trgm.so'), '')
  for (const file of globSync(`${bin}/*`))
    if (basename(file) !== 'postgres') symlinkSync(file, join(home, 'bin', basename(file)))
  const script = `#!/bin/sh\necho "postgres (PostgreSQL) ${version}"\n`
  writeFileSync(join(home, 'bin/postgres'), script, { mode: 0o755 })
  return join(home, 'bin')
}

test.each([
  ['a newer one of the same major version runs the database', '18.99', true, true],
  ['an older one does not', '18.0', true, false],
  ['nor one without pg_trgm', '18.99', false, false],
  ['nor one of another major version', '19.1', true, false],
])('%s', (_, version, isWhole, runs) => {
  const bin = installed(version, isWhole)
  const before = process.env.PATH
  process.env.PATH = `${bin}:${before}`
  try {
    const said: string[] = []
    const log = createLogger({ logLevel: 'info' }, { write: (line) => void said.push(line) })
    const programs = programsFor('/nowhere', '/nowhere', temporaryFolder(), log)
    expect([programs.bin === bin, said.length]).toEqual([runs, runs ? 1 : 0])
  } finally {
    process.env.PATH = before
  }
})
