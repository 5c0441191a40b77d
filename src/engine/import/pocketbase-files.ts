import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../platform/tools/json.ts'
import type { ReportProgress } from '../../platform/tools/progress.ts'
import type { CatalogDraft } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { listChosenTexts } from '../fields/field-types.ts'
import { storeFile } from '../files/stored-files.ts'
import { readUpload } from '../files/upload.ts'
import { type ImportRow, readRowId } from './read-import-rows.ts'

/** Suffix of the file of attributes that PocketBase writes beside each file. */
const FACTS = '.attrs'
const PLAIN_NAME = /^[^./\\][^/\\]*$/

export type PocketBaseStorage = ReturnType<typeof openStorage>

/** Imports the files `storage/COLLECTION/RECORD/NAME` that records name, without thumbnails. */
export function openStorage(source: string, progress: ReportProgress) {
  const folder = join(source, 'storage')
  const total = countFiles(folder)
  let imported = 0
  let missing = 0

  async function importOne({ db }: CatalogDraft, collection: string, record: string, name: string) {
    const path = join(folder, collection, record, name)
    if (![record, name].every((part) => PLAIN_NAME.test(part)) || !existsSync(path)) {
      missing++
      return
    }
    const { size, mtime: modified } = statSync(path)
    const content = {
      size,
      pieces: (bytes: number) => createReadStream(path, { highWaterMark: bytes }),
    }
    const type = readFileType(path) ?? (await readUpload(name, content)).sniffed.type
    await storeFile(db, { collection, record, name }, { type, modified }, content)
    progress('files', ++imported, total)
  }

  return {
    counts: () => ({ imported, missing, left: total - imported }),
    async importOf(
      draft: CatalogDraft,
      collection: Collection,
      rows: readonly ImportRow[],
    ): Promise<void> {
      const places = collection.fields.flatMap((field, i) => (field.type === 'file' ? [i] : []))
      for (const row of places.length > 0 ? rows : []) {
        const names = new Set(places.flatMap((i) => listChosenTexts(row[i]!)))
        for (const name of names)
          await importOne(draft, collection.id, readRowId(collection, row), name)
      }
    },
  }
}

function countFiles(folder: string): number {
  if (!existsSync(folder)) return 0
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) =>
      entry.isFile() && !entry.name.endsWith(FACTS) && !/[\\/]thumbs_/.test(entry.parentPath),
  ).length
}

/** The type that PocketBase's file of attributes names; undefined if there is none. */
function readFileType(path: string): string | undefined {
  if (!existsSync(path + FACTS)) return undefined
  const facts = parseJson(readFileSync(path + FACTS, 'utf8')) as
    | Record<string, unknown>
    | null
    | undefined
  const type = facts?.['user.content_type']
  return typeof type === 'string' && type !== '' ? type : undefined
}
