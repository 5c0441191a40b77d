import type { Db } from '../db/open.ts'
import { Catalog, type Store } from './catalog.ts'
import type { Collection } from './collection.ts'

/** All collections as `_collections` has them, in order of creation, each with the text of its row. */
export async function readRows(db: Db): Promise<{ id: string; data: string }[]> {
  const { rows } = await db.query('select id, data::text from _collections order by position')
  return rows.map(([id, data]) => ({ id: String(id), data: String(data) }))
}

/** A transaction that changes collections: a store whose catalog follows what was written so far. */
export class CatalogDraft implements Store {
  readonly db: Db
  #catalog: Catalog

  constructor(db: Db, catalog: Catalog) {
    this.db = db
    this.#catalog = catalog
  }

  get catalog(): Catalog {
    return this.#catalog
  }

  /** Writes a collection's row, new or not. Its table is somebody else's business. */
  async put(collection: Collection): Promise<void> {
    await this.db.query(
      `insert into _collections (id, name, data) values ($1, $2, $3)
       on conflict (id) do update set name = excluded.name, data = excluded.data`,
      [collection.id, collection.name, JSON.stringify(collection)],
    )
    const { all } = this.#catalog
    const place = all.findIndex((one) => one.id === collection.id)
    this.#catalog = new Catalog(place < 0 ? [...all, collection] : all.with(place, collection))
  }

  /** Removes a collection's row. */
  async remove(collection: Collection): Promise<void> {
    await this.db.query('delete from _collections where id = $1', [collection.id])
    this.#catalog = new Catalog(this.#catalog.all.filter((one) => one.id !== collection.id))
  }
}
