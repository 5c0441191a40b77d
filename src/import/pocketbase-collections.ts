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

/** A row of PocketBase's `_collections` → the JSON that its export would give, with the secrets. */
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

/** The collections that a PocketBase database describes. */
export const readCollections = (data: PocketBaseData): ExportedCollection[] =>
  [...data.rows('_collections')].map(readCollection)

/**
 * Brings in the collections that hold records, with their ids, rules, indexes, dates and secrets; those that
 * every server has are laid over. Answers them. Throws a UserError that names the collection.
 */
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
