import type { SQLOutputValue } from 'node:sqlite'
import type { CatalogDraft } from '../collections/catalog-draft.ts'
import type { Collection } from '../collections/collection.ts'
import {
  type ExportedCollection,
  type Report,
  refuseTakenNames,
  takeFieldIds,
  withQuotaRule,
} from './pocketbase-builtin.ts'
import { saveSource } from './pocketbase-save.ts'
import { type PocketBaseData, type StoredRow, textOf } from './sqlite.ts'

const rule = (value: SQLOutputValue | undefined) =>
  value === null || value === undefined ? null : textOf(value)

/** Converts a row of PocketBase's `_collections` to its export format, with secrets. */
function readCollection(row: StoredRow): ExportedCollection {
  return {
    ...(JSON.parse(textOf(row.options) || '{}') as object),
    id: textOf(row.id),
    name: textOf(row.name),
    type: textOf(row.type),
    system: Boolean(row.system),
    fields: JSON.parse(textOf(row.fields)) as unknown,
    indexes: JSON.parse(textOf(row.indexes)) as unknown,
    listRule: rule(row.listRule),
    viewRule: rule(row.viewRule),
    createRule: rule(row.createRule),
    updateRule: rule(row.updateRule),
    deleteRule: rule(row.deleteRule),
    created: textOf(row.created),
    updated: textOf(row.updated),
  }
}

export const readCollections = (data: PocketBaseData): ExportedCollection[] =>
  [...data.rows('_collections')].map(readCollection)

/** Imports collections with ids, rules, indexes, dates and secrets. Throws a UserError. */
export async function importPocketBaseTables(
  draft: CatalogDraft,
  raws: readonly ExportedCollection[],
  report: Report,
): Promise<Collection[]> {
  refuseTakenNames(draft, raws)
  const tables = raws.filter(({ type }) => type !== 'view').map((raw) => withQuotaRule(raw, report))
  for (const raw of tables) {
    await takeFieldIds(draft, raw)
    await saveSource(draft, raw, report)
  }
  return tables.map(({ id }) => draft.catalog.find(id)!)
}
