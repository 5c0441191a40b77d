import { sql } from 'kysely'
import { type FieldError, UserError } from '../../platform/api-errors.ts'
import { withSavepoint } from '../../platform/db/savepoint.ts'
import { type CatalogDraft, InvalidCollection } from '../collections/catalog.ts'
import { type Collection, USERS_ID } from '../collections/collection.ts'
import { dropCollection } from '../collections/edit.ts'
import { importCollections } from '../collections/import-collections.ts'
import { parseIndex, writeIndex } from '../collections/index-definition.ts'
import { toTableName } from '../collections/sql-names.ts'
import type { Field } from '../fields/field.ts'
import type { ExportedCollection, ReportSentence } from './exported-collection.ts'

/** Creates all collections but views. Throws a UserError for a taken name or an invalid collection. */
export async function importPocketBaseTables(
  draft: CatalogDraft,
  raws: readonly ExportedCollection[],
  report: ReportSentence,
): Promise<Collection[]> {
  refuseTakenNames(draft, raws)
  const tables = raws.filter(({ type }) => type !== 'view').map((raw) => guardQuota(raw, report))
  for (const raw of tables) {
    await copyFieldIds(draft, raw)
    await importTable(draft, raw, report)
  }
  return tables.map(({ id }) => draft.catalog.find(id)!)
}

/** Saves a collection. Renames an index whose name is taken, leaves out an impossible one, reports both. */
export async function importOneCollection(
  draft: CatalogDraft,
  raw: ExportedCollection,
  report: ReportSentence,
): Promise<Collection> {
  try {
    const [saved] = await withSavepoint(draft.db, () => importCollections(draft, [raw]))
    return saved!.collection
  } catch (error) {
    const faults = error instanceof InvalidCollection ? error.data.indexes : undefined
    if (!faults)
      throw new UserError(`collection ${raw.name}: ${(error as Error).message}`, { cause: error })
    const indexes = [...(raw.indexes as string[])]
    for (const [i, { message }] of Object.entries(faults as Record<string, FieldError>)) {
      const index = parseIndex(indexes[Number(i)]!)
      const name = `${index.name}_${raw.id}`
      if (/already exists/.test(message) && !index.name.endsWith(raw.id)) {
        report(
          `${raw.name}: its index ${index.name} is called ${name} here, since that name is taken.`,
        )
        indexes[Number(i)] = writeIndex({ ...index, name })
      } else {
        report(`${raw.name}: an index was left out (${indexes[Number(i)]}): ${message}`)
        indexes[Number(i)] = ''
      }
    }
    return importOneCollection(
      draft,
      { ...raw, indexes: indexes.filter((index) => index !== '') },
      report,
    )
  }
}

/** Saves a collection with its dates and token secrets. Reports indexes that are renamed or left out. */
async function importTable(
  draft: CatalogDraft,
  raw: ExportedCollection,
  report: ReportSentence,
): Promise<Collection> {
  const saved = await importOneCollection(draft, raw, report)
  const { created, updated } = raw as unknown as Collection
  const token = 'authToken' in raw ? { authToken: raw.authToken } : {}
  await draft.put({ ...saved, created, updated, ...token } as Collection)
  return saved
}

/** How many rows of a view to try to read: some errors of its query occur only for certain rows. */
const SAMPLE_SIZE = 1_000

async function importView(
  draft: CatalogDraft,
  raw: ExportedCollection,
  report: ReportSentence,
): Promise<void> {
  const view = await importTable(draft, raw, report)
  try {
    const sample = sql`select * from ${sql.id(toTableName(view))} limit ${SAMPLE_SIZE}`
    await withSavepoint(draft.db, () => sample.execute(draft.db))
  } catch (error) {
    await dropCollection(draft, view)
    throw error
  }
}

/** Creates views. Tries failed ones again, because a view may read another. Reports those left out. */
export async function importPocketBaseViews(
  draft: CatalogDraft,
  views: readonly ExportedCollection[],
  report: ReportSentence,
): Promise<void> {
  for (let waiting = views; waiting.length > 0; ) {
    const failed = new Map<ExportedCollection, unknown>()
    for (const raw of waiting)
      await importView(draft, raw, report).catch((error) => failed.set(raw, error))
    if (failed.size === waiting.length)
      for (const [{ name }, error] of failed)
        report(
          `${name}: the view was left out, its query does not work on Postgres: ${(error as Error).message}`,
        )
    waiting = failed.size === waiting.length ? [] : [...failed.keys()]
  }
}

/** A condition added to imported rules, so that users cannot raise their own quota. */
const QUOTA_GUARD = '@request.body.monthly_quota:isset = false'

/** Throws a UserError if the source has another collection under the name or id of a built-in one. */
function refuseTakenNames(draft: CatalogDraft, raws: readonly ExportedCollection[]): void {
  const own = draft.catalog.all.filter((one) => draft.catalog.isBuiltIn(one))
  const taken = raws.filter(({ id, name }) =>
    own.some((one) => one.id !== id && one.name.toLowerCase() === name.toLowerCase()),
  )
  if (taken.length > 0) {
    const names = taken.map(({ name }) => name).join(', ')
    throw new UserError(
      `pocketsms has collections of its own with these names: ${names}. Rename them in PocketBase, then import again.`,
    )
  }
  for (const { id, name } of own) {
    const renamed = raws.find((raw) => raw.id === id && raw.name !== name)
    if (!renamed) continue
    throw new UserError(
      `pocketsms needs the collection ${renamed.name} under the name ${name}. Rename it in PocketBase, then import again.`,
    )
  }
}

/** Adds QUOTA_GUARD to the create and update rules of `users`; returns other collections unchanged. */
function guardQuota(raw: ExportedCollection, report: ReportSentence): ExportedCollection {
  if (raw.id !== USERS_ID) return raw
  const guarded = (text: unknown) => {
    if (typeof text !== 'string' || text.includes(QUOTA_GUARD)) return text
    return text.trim() === '' ? QUOTA_GUARD : `(${text}\n) && ${QUOTA_GUARD}`
  }
  const rules = { createRule: guarded(raw.createRule), updateRule: guarded(raw.updateRule) }
  if (rules.createRule !== raw.createRule || rules.updateRule !== raw.updateRule)
    report(
      `users: its create and update rules got "${QUOTA_GUARD}", so that nobody lifts the own quota.`,
    )
  return { ...raw, ...rules }
}

/** Gives built-in fields the ids of the source's fields with the same name. UserError if types differ. */
async function copyFieldIds(draft: CatalogDraft, raw: ExportedCollection): Promise<void> {
  const there = draft.catalog.all.find(({ id }) => id === raw.id)
  if (!there) return
  const sources = raw.fields as readonly Field[]
  const fields = there.fields.map((field) => {
    const source = sources.find(({ name }) => name.toLowerCase() === field.name.toLowerCase())
    // a field of the source may have our field's id under another name: PocketBase keeps ids at renames
    const isTaken = !source && sources.some(({ id }) => id === field.id)
    if (!source) return isTaken ? { ...field, id: `pocketsms_${field.name}` } : field
    if (source.type === field.type) return { ...field, id: source.id }
    throw new UserError(
      `pocketsms needs the field ${field.name} of ${raw.name} to be of type ${field.type}, not ${source.type}. Rename it in PocketBase, then import again.`,
    )
  })
  await draft.put({ ...there, fields } as Collection)
}
