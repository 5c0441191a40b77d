import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where in a data folder PGlite has its files. */
export const pgliteFolder = (folder: string): string => join(folder, 'pglite')

/** Whether a data folder has a database: opening one that has none makes it. */
export const hasDatabase = (folder: string): boolean => existsSync(pgliteFolder(folder))
