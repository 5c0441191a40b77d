import type { Db } from '../db/open.ts'
import { Catalog, type Store } from './catalog.ts'
import type { Collection } from './collection.ts'

/** All rows of `_collections` in order of creation, as text. */
export function readRows(db: Db): Promise<{ id: string; data: string }[]> {
  return db.kysely.selectFrom('_collections').select(['id', 'data']).orderBy('position').execute()
}

/** A transaction that changes collections: a store whose catalog includes the changes so far. */
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

  /** Writes a collection's row. Its table is written elsewhere. */
  async put(collection: Collection): Promise<void> {
    const row = { name: collection.name, data: JSON.stringify(collection) }
    await this.db.kysely
      .insertInto('_collections')
      .values({ id: collection.id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
    const { all } = this.#catalog
    const place = all.findIndex((one) => one.id === collection.id)
    this.#catalog = new Catalog(place < 0 ? [...all, collection] : all.with(place, collection))
  }

  /** Deletes a collection's row. */
  async remove(collection: Collection): Promise<void> {
    await this.db.kysely.deleteFrom('_collections').where('id', '=', collection.id).execute()
    this.#catalog = new Catalog(this.#catalog.all.filter((one) => one.id !== collection.id))
  }
}
