import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const findPackage = (folder: string): string =>
  existsSync(join(folder, 'package.json')) ? folder : findPackage(dirname(folder))

/** The clone, or the installed package: the folder with `sql` and `console`. */
export const PROGRAM_FOLDER = findPackage(dirname(fileURLToPath(import.meta.url)))
