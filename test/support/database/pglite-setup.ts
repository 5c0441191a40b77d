import { rmSync } from 'node:fs'
import { makeTemplate, temporaryFolder } from './pglite.ts'

let folder: string | undefined

/**
 * Runs once before the tests on PGlite: TEST_FOLDER becomes a folder for all their data, with an empty
 * database to copy. It is removed after them, whatever became of their processes.
 */
export async function setup(): Promise<void> {
  folder = temporaryFolder()
  await makeTemplate(folder)
  process.env.TEST_FOLDER = folder
}

export function teardown(): void {
  if (folder) rmSync(folder, { recursive: true, force: true })
}
