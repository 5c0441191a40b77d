import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CatalogDraft, Collection } from '../collections/catalog.ts'
import { chosenTexts } from '../fields/types/choice.ts'
import { storeFile } from '../files/contents.ts'
import { type Content, readUpload } from '../files/upload.ts'
import { parseJson } from '../tools/json.ts'
import type { Progress } from '../tools/progress.ts'
import { idOf } from './insert.ts'
import type { ImportRow } from './rows.ts'

/** PocketBase's file of attributes beside each file. */
const FACTS = '.attrs'
const PLAIN_NAME = /^[^./\\][^/\\]*$/

/** The files `storage/COLLECTION/RECORD/NAME` that records name. Thumbnails are made again on request. */
export class Storage {
  readonly #folder: string
  readonly #progress: Progress
  readonly #total: number
  imported = 0
  missing = 0

  constructor(folder: string, progress: Progress) {
    this.#folder = join(folder, 'storage')
    this.#progress = progress
    this.#total = countFiles(this.#folder)
  }

  get left(): number {
    return this.#total - this.imported
  }

  async importOf(draft: CatalogDraft, collection: Collection, rows: readonly ImportRow[]): Promise<void> {
    const places = collection.fields.flatMap((field, i) => (field.type === 'file' ? [i] : []))
    for (const row of places.length > 0 ? rows : []) {
      const names = new Set(places.flatMap((i) => chosenTexts(row[i]!)))
      for (const name of names) await this.#importOne(draft, collection.id, idOf(collection, row), name)
    }
  }

  async #importOne({ db }: CatalogDraft, collection: string, record: string, name: string): Promise<void> {
    const path = join(this.#folder, collection, record, name)
    if (![record, name].every((part) => PLAIN_NAME.test(part)) || !existsSync(path)) {
      this.missing++
      return
    }
    const content = contentOf(path)
    const type = typeOf(path) ?? (await readUpload(name, content)).sniffed.type
    await storeFile(db, { collection, record, name }, { type, modified: statSync(path).mtime }, content)
    this.#progress('files', ++this.imported, this.#total)
  }
}

function countFiles(folder: string): number {
  if (!existsSync(folder)) return 0
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith(FACTS) && !/[\\/]thumbs_/.test(entry.parentPath),
  ).length
}

/** The type in PocketBase's attributes; undefined if there is none. */
function typeOf(path: string): string | undefined {
  if (!existsSync(path + FACTS)) return undefined
  const facts = parseJson(readFileSync(path + FACTS, 'utf8')) as Record<string, unknown> | null | undefined
  const type = facts?.['user.content_type']
  return typeof type === 'string' && type !== '' ? type : undefined
}

const contentOf = (path: string): Content => ({
  size: statSync(path).size,
  pieces: (bytes) => createReadStream(path, { highWaterMark: bytes }),
})
