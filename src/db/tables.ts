/**
 * Tables of our own, for kysely. Collections' tables are not here: their columns are data. A room that owns a
 * table adds its row type.
 */
export interface Tables {
  _collections: { id: string; name: string; data: string; position: number }
  _params: { key: string; value: string }
}
