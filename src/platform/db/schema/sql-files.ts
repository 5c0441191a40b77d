import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { PROGRAM_FOLDER } from '../../program-folder.ts'

export interface SqlFile {
  readonly name: string
  readonly sql: string
}

const kept = new Map<string, readonly SqlFile[]>()

/** The SQL files in a folder of `sql/`, sorted by path. Read only once: an upgrade may replace them later. */
export function readSqlFiles(folder: string): readonly SqlFile[] {
  const files = kept.get(folder) ?? readSqlFolder(join(PROGRAM_FOLDER, 'sql', folder))
  kept.set(folder, files)
  return files
}

function readSqlFolder(folder: string): SqlFile[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return paths
    .filter((path) => path.endsWith('.sql'))
    .sort()
    .map((path) => ({
      name: basename(path, '.sql'),
      sql: readFileSync(`${folder}/${path}`, 'utf8'),
    }))
}
