import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pgliteFolder } from '../../../src/db/data-folder.ts'
import { makeFolder } from '../../../src/db/pglite/make-folder.ts'

/** Linux keeps the files below this folder in memory: syncing them costs nothing. */
const IN_MEMORY = '/dev/shm'

/**
 * A new folder for data of tests, in memory where the system can. Below TEST_FOLDER (see pglite-setup.ts), if
 * that is set.
 */
export const temporaryFolder = (): string =>
  mkdtempSync(
    join(process.env.TEST_FOLDER ?? (existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir()), 'pocketsms-test-'),
  )

/** Makes the empty database that dataFolder copies: initdb takes some seconds, a copy some milliseconds. */
export const makeTemplate = (folder: string): Promise<void> => makeFolder(pgliteFolder(folder))

/**
 * A DATA_DIR with an empty database, removed when this process ends. Copied from the one in TEST_FOLDER, if
 * that is set.
 */
export async function dataFolder(): Promise<string> {
  const folder = temporaryFolder()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const template = process.env.TEST_FOLDER
  if (template) cpSync(pgliteFolder(template), pgliteFolder(folder), { recursive: true })
  else await makeTemplate(folder)
  return folder
}
