import type { Collection, Store } from '../../collections/catalog.ts'
import { isSqlError } from '../../db/errors.ts'
import type { Action } from '../../records/changes.ts'
import type { RecordRow } from '../../records/columns.ts'
import { type ChangeEntry, type RecordImage, readImages } from './change-log.ts'

export interface Change {
  readonly xid: number
  readonly collection: Collection
  readonly action: Action
  readonly record: string
  /** The record after the change; if it was deleted, before the change. */
  readonly row: RecordRow
  /** Position and image of the change that rules check; null if they check `row`. */
  readonly judged: number | null
  readonly judgedRow: RecordRow | null
}

export interface UnloadedChange {
  readonly collection: Collection
  readonly record: string
  readonly error: unknown
}

/** Reads the wanted changes in order. Returns also those that could not be read, with the errors. */
export async function loadChanges(
  store: Store,
  entries: readonly ChangeEntry[],
  isWanted: (collection: Collection, record: string) => boolean,
): Promise<{ changes: Change[]; unread: UnloadedChange[] }> {
  const wanted = entries.flatMap((entry) => {
    const collection = store.catalog.find(entry.collection)
    return collection && isWanted(collection, entry.record) ? [{ entry, collection }] : []
  })
  const positions = new Map<Collection, number[]>()
  for (const { entry, collection } of wanted) {
    const list = positions.get(collection) ?? []
    if (list.push(entry.position) === 1) positions.set(collection, list)
  }
  const images = new Map<number, RecordImage>()
  const errors = new Map<number, unknown>()
  for (const [collection, list] of positions) {
    const failed = await readAll(images, store, collection, list)
    for (const [position, error] of failed) errors.set(position, error)
  }
  const changes = wanted.flatMap(({ entry, collection }) => {
    const image = images.get(entry.position)
    return image && !errors.has(entry.position) ? [toChange(entry, collection, image, images)] : []
  })
  const unread = wanted.flatMap(({ entry: { position, record }, collection }) =>
    errors.has(position) ? [{ collection, record, error: errors.get(position) }] : [],
  )
  return { changes, unread }
}

/** SQLSTATEs of errors in a row's data, and of rows that do not fit the tables. */
const ROW_FAULT = /^(2|42|0A)/

/** Reads all in one statement, or each separately if that fails. Returns errors by position. */
async function readAll(
  images: Map<number, RecordImage>,
  store: Store,
  collection: Collection,
  positions: readonly number[],
): Promise<[number, unknown][]> {
  try {
    await readInto(images, store, collection, positions)
    return []
  } catch (error) {
    if (!isSqlError(error) || !ROW_FAULT.test(error.code)) throw error
    const [only, ...others] = positions
    if (others.length === 0) return [[only!, error]]
  }
  const failed: [number, unknown][] = []
  for (const position of positions) failed.push(...(await readAll(images, store, collection, [position])))
  return failed
}

async function readInto(
  images: Map<number, RecordImage>,
  store: Store,
  collection: Collection,
  positions: readonly number[],
): Promise<void> {
  const found = await readImages(store.db, collection, positions)
  for (const [position, image] of found) images.set(position, image)
  const others = [...found.values()].flatMap(({ judged }) => (judged && !images.has(judged) ? [judged] : []))
  if (others.length > 0) await readInto(images, store, collection, [...new Set(others)])
}

function toChange(
  { xid, action, record }: ChangeEntry,
  collection: Collection,
  { row, judged }: RecordImage,
  images: ReadonlyMap<number, RecordImage>,
): Change {
  const judgedRow = judged === null ? null : (images.get(judged)?.row ?? null)
  return { xid, collection, action, record, row, judged, judgedRow }
}
