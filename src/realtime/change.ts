import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { Action } from '../records/changes.ts'
import type { Row } from '../records/columns.ts'
import { type Entry, type Image, readImages } from './outbox.ts'

/** A changed record, with all that is to be told of it. */
export interface Change {
  readonly xid: number
  readonly collection: Collection
  readonly action: Action
  readonly record: string
  /** As the change left it; of a deleted one, as it was before. */
  readonly row: Row
  /** Position of the change whose image rules judge, and that image; null when there is none. */
  readonly judged: number | null
  readonly judgedRow: Row | null
}

/**
 * The changes behind those entries that somebody here wants to know of, in their order. What nobody wants is not
 * read; what is of a collection that is gone is left out.
 */
export async function loadChanges(
  store: Store,
  entries: readonly Entry[],
  isWanted: (collection: Collection, record: string) => boolean,
): Promise<Change[]> {
  const wanted = entries.flatMap((entry) => {
    const collection = store.catalog.find(entry.collection)
    return collection && isWanted(collection, entry.record) ? [{ entry, collection }] : []
  })
  const positions = new Map<Collection, number[]>()
  for (const { entry, collection } of wanted) {
    const list = positions.get(collection) ?? []
    if (list.push(entry.position) === 1) positions.set(collection, list)
  }
  const images = new Map<number, Image>()
  for (const [collection, list] of positions) await readInto(images, store, collection, list)
  return wanted.flatMap(({ entry, collection }) => {
    const image = images.get(entry.position)
    return image ? [toChange(entry, collection, image, images)] : []
  })
}

/** Images, and those that are judged instead. */
async function readInto(
  images: Map<number, Image>,
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
  { xid, action, record }: Entry,
  collection: Collection,
  { row, judged }: Image,
  images: ReadonlyMap<number, Image>,
): Change {
  const judgedRow = judged === null ? null : (images.get(judged)?.row ?? null)
  return { xid, collection, action, record, row, judged, judgedRow }
}
