import type { SQLOutputValue } from 'node:sqlite'
import { attempt } from '../collections/attempt.ts'
import { BUILT_IN_IDS } from '../collections/built-in.ts'
import type { CatalogDraft } from '../collections/catalog-draft.ts'
import type { Collection } from '../collections/collection.ts'
import { importCollections } from '../collections/import.ts'
import { InvalidCollection } from '../collections/invalid.ts'
import { UserError } from '../errors.ts'
import { type PocketBaseData, type StoredRow, textOf } from './sqlite.ts'

type Raw = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly name: string
  readonly type: string
}

/** What was left out or done otherwise, a sentence each. */
export type Report = (sentence: string) => void

/** No user may lift the own quota, whatever the rules say that come in. */
const QUOTA_GUARD = '@request.body.monthly_quota:isset = false'
const USERS_ID = '_pb_users_auth_'

const rule = (value: SQLOutputValue | undefined) =>
  value === null || value === undefined ? null : textOf(value)

/** A row of PocketBase's `_collections` → the JSON that its export would give, with the secrets. */
function readCollection(row: StoredRow): Raw {
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

function withQuotaGuard(raw: Raw, report: Report): Raw {
  if (raw.id !== USERS_ID) return raw
  report(`users: its create and update rules got "${QUOTA_GUARD}", so that nobody lifts the own quota.`)
  const guarded = (key: string) => {
    const text = raw[key]
    if (typeof text !== 'string' || text.includes(QUOTA_GUARD)) return text
    return text.trim() === '' ? QUOTA_GUARD : `(${text}\n) && ${QUOTA_GUARD}`
  }
  return { ...raw, createRule: guarded('createRule'), updateRule: guarded('updateRule') }
}

function refuseTakenNames(draft: CatalogDraft, raws: readonly Raw[]): void {
  const taken = raws.filter(({ id, name }) => {
    const there = draft.catalog.find(name)
    return there !== undefined && there.id !== id && BUILT_IN_IDS.has(there.id)
  })
  if (taken.length === 0) return
  const names = taken.map(({ name }) => name).join(', ')
  throw new UserError(
    `pocketsms has collections of its own with these names: ${names}. Rename them in PocketBase, then import again.`,
  )
}

/** Saves one collection; an index that Postgres cannot make is left out and reported. */
async function saveOne(draft: CatalogDraft, raw: Raw, report: Report): Promise<Collection> {
  try {
    const [saved] = await attempt(draft.db, () => importCollections(draft, [raw]))
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

/** The dates and the sessions' secrets stay what they were: whoever is signed in stays so. */
async function keepIdentity(draft: CatalogDraft, raw: Raw, saved: Collection): Promise<void> {
  const { created, updated } = raw as unknown as Collection
  const token = 'authToken' in raw ? { authToken: raw.authToken } : {}
  await draft.put({ ...saved, created, updated, ...token } as Collection)
}

/** Views may read each other: those that cannot be made yet wait for the next round. */
async function saveViews(draft: CatalogDraft, views: readonly Raw[], report: Report): Promise<void> {
  let waiting = views
  while (waiting.length > 0) {
    const failed: { raw: Raw; error: unknown }[] = []
    for (const raw of waiting) {
      try {
        await keepIdentity(draft, raw, await saveOne(draft, raw, report))
      } catch (error) {
        failed.push({ raw, error })
      }
    }
    if (failed.length === waiting.length) {
      for (const { raw, error } of failed) {
        report(
          `${raw.name}: the view was left out, its query does not work on Postgres: ${(error as Error).message}`,
        )
      }
      return
    }
    waiting = failed.map(({ raw }) => raw)
  }
}

/**
 * Brings in all collections of a PocketBase database with their ids, rules, indexes, dates and secrets; those that
 * every server has are laid over. Answers the ones that hold records. Throws a UserError that names the collection.
 */
export async function importPocketBaseCollections(
  draft: CatalogDraft,
  data: PocketBaseData,
  report: Report,
): Promise<Collection[]> {
  const raws = [...data.rows('_collections')].map(readCollection)
  refuseTakenNames(draft, raws)
  const tables = raws.filter(({ type }) => type !== 'view').map((raw) => withQuotaGuard(raw, report))
  for (const raw of tables) await keepIdentity(draft, raw, await saveOne(draft, raw, report))
  await saveViews(
    draft,
    raws.filter(({ type }) => type === 'view'),
    report,
  )
  return tables.map(({ id }) => draft.catalog.find(id)!)
}
