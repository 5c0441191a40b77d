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

/** What a new database holds: nothing, or what `prepareDatabase` makes. */
export type Content = 'empty' | 'prepared'

/** The folder in TEST_FOLDER that holds the database to copy. */
export const templateFolder = (folder: string, content: Content): string =>
  join(folder, `template-${content}`)

/** Makes an empty database in a DATA_DIR. */
export const makeDatabase = (folder: string): Promise<void> => makeFolder(pgliteFolder(folder))

const folders = new Set<string>()
process.once('exit', removeDataFolders)

/** Removes the folders that `dataFolder` made in this process. Their databases must be closed. */
export function removeDataFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  folders.clear()
}

/**
 * A DATA_DIR with a new database, removed after the test file. It is a copy of the template in TEST_FOLDER:
 * initdb takes some seconds, a copy some milliseconds. Without TEST_FOLDER it is always empty.
 */
export async function dataFolder(content: Content = 'empty'): Promise<string> {
  const folder = temporaryFolder()
  folders.add(folder)
  const templates = process.env.TEST_FOLDER
  if (templates)
    cpSync(pgliteFolder(templateFolder(templates, content)), pgliteFolder(folder), { recursive: true })
  else await makeDatabase(folder)
  return folder
}
