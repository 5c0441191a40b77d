import type { Generated } from 'kysely'

/**
 * Tables of our own that kysely knows. Those of collections are not here: their columns are data. json
 * columns are their text, as everywhere in this program.
 */
export interface Tables {
  _migrations: { file: string; applied: Generated<Date> }
  _collections: { id: string; name: string; data: string; position: Generated<number> }
  _params: { key: string; value: string }
  auth_tries: { key: string; tries: number; ends: Date }
}
