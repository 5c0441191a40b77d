import type { Db } from '../db/open.ts'
import { Catalog, type Collection, type Store } from './catalog.ts'
import { INTERNAL_NAMES_SINCE, isInternal } from './names.ts'

/** All rows of `_collections` in order of creation, as text. */
export async function readRows(db: Db): Promise<{ id: string; data: string }[]> {
  const { rows } = await db.query('select id, data from _collections order by position')
  return rows.map(([id, data]) => ({ id: String(id), data: String(data) }))
}

const PUT = `
insert into _collections (id, name, data) values ($1, $2, $3)
on conflict (id) do update set name = excluded.name, data = excluded.data`

/** Stops older servers: they would drop an internal table together with a collection of its name. */
const STOP_OLDER = 'update _schema set oldest = greatest(oldest, $1)'

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

  /** Writes a collection's row, not its table. */
  async put(collection: Collection): Promise<void> {
    if (isInternal(collection.name)) await this.db.query(STOP_OLDER, [INTERNAL_NAMES_SINCE])
    await this.db.query(PUT, [collection.id, collection.name, JSON.stringify(collection)])
    const { all } = this.#catalog
    const place = all.findIndex((one) => one.id === collection.id)
    this.#catalog = new Catalog(place < 0 ? [...all, collection] : all.with(place, collection))
  }

  async remove(collection: Collection): Promise<void> {
    await this.db.query('delete from _collections where id = $1', [collection.id])
    this.#catalog = new Catalog(this.#catalog.all.filter((one) => one.id !== collection.id))
  }
}
