import { cpSync, rmSync } from 'node:fs'
import { makeDatabase, templateFolder, temporaryFolder } from './pglite.ts'
import { prepareDatabase } from './prepare.ts'

let folder: string | undefined

/**
 * Runs once before the tests on PGlite: TEST_FOLDER becomes a folder for all their data, with an empty and a
 * prepared database to copy. It is removed after them, even if their processes crash.
 */
export async function setup(): Promise<void> {
  folder = temporaryFolder()
  const [empty, prepared] = [templateFolder(folder, 'empty'), templateFolder(folder, 'prepared')]
  await makeDatabase(empty)
  cpSync(empty, prepared, { recursive: true })
  await prepareDatabase({ DATA_DIR: prepared, DATABASE_URL: '' })
  process.env.TEST_FOLDER = folder
}

export function teardown(): void {
  if (folder) rmSync(folder, { recursive: true, force: true })
}
