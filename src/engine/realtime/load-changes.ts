import { isSqlError } from '../../platform/db/database-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { Action } from '../records/log-changes.ts'
import type { RecordRow } from '../records/record-row.ts'
import { type ChangeEntry, loadImages, type RecordImage } from './change-log.ts'

export interface RecordChange {
  readonly position: number
  readonly xid: number
  readonly collection: Collection
  readonly action: Action
  readonly record: string
  /** The record after the change; if it was deleted, before the change. */
  readonly row: RecordRow
  /** Position of the change whose image rules check. If null, a rule with a condition hides this change. */
  readonly judged: number | null
  readonly judgedRow: RecordRow | null
}

interface UnloadedChange {
  readonly collection: Collection
  readonly record: string
  readonly error: unknown
}

/** Reads the changes that `isWanted` accepts, in order. `unread`: those that cannot be read, with errors. */
export async function loadChanges(
  store: Store,
  entries: readonly ChangeEntry[],
  isWanted: (collection: Collection, record: string) => boolean,
): Promise<{ changes: RecordChange[]; unread: UnloadedChange[] }> {
  const wanted = entries.flatMap((entry) => {
    const collection = store.catalog.find(entry.collection)
    return collection && isWanted(collection, entry.record) ? [{ entry, collection }] : []
  })
  const images = new Map<number, RecordImage>()
  const errors = new Map<number, unknown>()
  for (const [collection, list] of Map.groupBy(wanted, (one) => one.collection)) {
    const positions = list.map(({ entry }) => entry.position)
    await loadAllImages(images, errors, store, collection, positions)
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

/** SQLSTATE classes of errors by a single row: 2x for invalid data, 42 and 0A if the table has changed. */
const ROW_FAULT = /^(2|42|0A)/

/** Reads images in one statement, or one by one if a row is faulty. Adds images and errors by position. */
async function loadAllImages(
  images: Map<number, RecordImage>,
  errors: Map<number, unknown>,
  store: Store,
  collection: Collection,
  positions: readonly number[],
): Promise<void> {
  try {
    await loadImagesInto(images, store, collection, positions)
  } catch (error) {
    if (!isSqlError(error) || !ROW_FAULT.test(error.code)) throw error
    if (positions.length === 1) errors.set(positions[0]!, error)
    else
      for (const position of positions)
        await loadAllImages(images, errors, store, collection, [position])
  }
}

async function loadImagesInto(
  images: Map<number, RecordImage>,
  store: Store,
  collection: Collection,
  positions: readonly number[],
): Promise<void> {
  const found = await loadImages(store.db, collection, positions)
  for (const [position, image] of found) images.set(position, image)
  const others = [...found.values()].flatMap(({ judged }) =>
    judged && !images.has(judged) ? [judged] : [],
  )
  if (others.length > 0) await loadImagesInto(images, store, collection, [...new Set(others)])
}

function toChange(
  { position, xid, action, record }: ChangeEntry,
  collection: Collection,
  { row, judged }: RecordImage,
  images: ReadonlyMap<number, RecordImage>,
): RecordChange {
  const judgedRow = judged === null ? null : (images.get(judged)?.row ?? null)
  return { position, xid, collection, action, record, row, judged, judgedRow }
}
