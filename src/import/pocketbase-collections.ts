import type { SQLOutputValue } from 'node:sqlite'
import { type CatalogDraft, type Collection, quote, tableName } from '../collections/catalog.ts'
import { importCollections } from '../collections/edit/import.ts'
import { dropCollection } from '../collections/edit/remove.ts'
import { InvalidCollection } from '../collections/invalid.ts'
import { withSavepoint } from '../db/savepoint.ts'
import { UserError } from '../errors.ts'
import {
  type ExportedCollection,
  type Report,
  refuseTakenNames,
  takeFieldIds,
  withQuotaRule,
} from './pocketbase-builtin.ts'
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

/** Saves a collection; an index that Postgres cannot make is left out and reported. */
async function saveOne(draft: CatalogDraft, raw: ExportedCollection, report: Report): Promise<Collection> {
  try {
    const [saved] = await withSavepoint(draft.db, () => importCollections(draft, [raw]))
    return saved!.collection
  } catch (error) {
    const faults = error instanceof InvalidCollection ? error.data.indexes : undefined
    if (!faults) throw new UserError(`collection ${raw.name}: ${(error as Error).message}`, { cause: error })
    const indexes = raw.indexes as string[]
    for (const [i, fault] of Object.entries(faults)) {
      report(
        `${raw.name}: an index was left out (${indexes[Number(i)]}): ${(fault as { message: string }).message}`,
      )
    }
    return saveOne(draft, { ...raw, indexes: indexes.filter((_, i) => !(i in faults)) }, report)
  }
}

/** Saves a collection with its dates and token secrets. Reports indexes that Postgres cannot make. */
async function saveSource(draft: CatalogDraft, raw: ExportedCollection, report: Report): Promise<Collection> {
  const saved = await saveOne(draft, raw, report)
  const { created, updated } = raw as unknown as Collection
  const token = 'authToken' in raw ? { authToken: raw.authToken } : {}
  await draft.put({ ...saved, created, updated, ...token } as Collection)
  return saved
}

/** Rows read to find faults that a query shows only then. */
const SAMPLE_SIZE = 1_000

async function saveView(draft: CatalogDraft, raw: ExportedCollection, report: Report): Promise<void> {
  const view = await saveSource(draft, raw, report)
  try {
    const sample = `select * from ${quote(tableName(view))} limit $1`
    await withSavepoint(draft.db, () => draft.db.query(sample, [SAMPLE_SIZE]))
  } catch (error) {
    await dropCollection(draft, view)
    throw error
  }
}

/** Tries each view; returns the failed ones with their errors. */
async function tryAll(draft: CatalogDraft, views: readonly ExportedCollection[], report: Report) {
  const failed: { raw: ExportedCollection; error: unknown }[] = []
  for (const raw of views) {
    try {
      await saveView(draft, raw, report)
    } catch (error) {
      failed.push({ raw, error })
    }
  }
  return failed
}

/** Creates views, in rounds as they may read each other. Unreadable ones are left out and reported. */
export async function importPocketBaseViews(
  draft: CatalogDraft,
  views: readonly ExportedCollection[],
  report: Report,
): Promise<void> {
  for (let waiting = views; waiting.length > 0; ) {
    const failed = await tryAll(draft, waiting, report)
    if (failed.length === waiting.length) return failed.forEach((one) => void reportView(one, report))
    waiting = failed.map(({ raw }) => raw)
  }
}

function reportView({ raw, error }: { raw: ExportedCollection; error: unknown }, report: Report): void {
  const { message } = error as Error
  report(`${raw.name}: the view was left out, its query does not work on Postgres: ${message}`)
}
