import { type CatalogDraft, type Collection, USERS_ID } from '../collections/catalog.ts'
import { BUILT_IN_IDS } from '../collections/definition/built-in.ts'
import { UserError } from '../errors.ts'
import type { Field } from '../fields/field.ts'

/** A collection in PocketBase's export format, with secrets. */
export type ExportedCollection = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly name: string
  readonly type: string
}

/** Receives a sentence for each thing left out or changed. */
export type Report = (sentence: string) => void

/** Users cannot raise their own quota, whatever the imported rules say. */
const QUOTA_GUARD = '@request.body.monthly_quota:isset = false'

/** Throws a UserError if the source has another collection under the name or id of a built-in one. */
export function refuseTakenNames(draft: CatalogDraft, raws: readonly ExportedCollection[]): void {
  const own = draft.catalog.all.filter(({ id }) => BUILT_IN_IDS.has(id))
  const taken = raws.filter((raw) => own.some((one) => one.id !== raw.id && sameName(one, raw)))
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

const sameName = (a: Pick<ExportedCollection, 'name'>, b: Pick<ExportedCollection, 'name'>) =>
  a.name.toLowerCase() === b.name.toLowerCase()

/** Adds the quota rule to `users`. Other collections are unchanged. */
export function withQuotaRule(raw: ExportedCollection, report: Report): ExportedCollection {
  if (raw.id !== USERS_ID) return raw
  const guarded = (text: unknown) => {
    if (typeof text !== 'string' || text.includes(QUOTA_GUARD)) return text
    return text.trim() === '' ? QUOTA_GUARD : `(${text}\n) && ${QUOTA_GUARD}`
  }
  const rules = { createRule: guarded(raw.createRule), updateRule: guarded(raw.updateRule) }
  if (rules.createRule !== raw.createRule || rules.updateRule !== raw.updateRule)
    report(`users: its create and update rules got "${QUOTA_GUARD}", so that nobody lifts the own quota.`)
  return { ...raw, ...rules }
}

/** Gives our fields the ids of those of the same name in the source. Throws a UserError for another type. */
export async function takeFieldIds(draft: CatalogDraft, raw: ExportedCollection): Promise<void> {
  const there = draft.catalog.all.find(({ id }) => id === raw.id)
  if (!there) return
  const sources = raw.fields as readonly Field[]
  const fields = there.fields.map((field) => {
    const source = sources.find(({ name }) => name.toLowerCase() === field.name.toLowerCase())
    if (!source) return isTaken(sources, field) ? { ...field, id: `pocketsms_${field.name}` } : field
    if (source.type === field.type) return { ...field, id: source.id }
    throw new UserError(
      `pocketsms needs the field ${field.name} of ${raw.name} to be of type ${field.type}, not ${source.type}. Rename it in PocketBase, then import again.`,
    )
  })
  await draft.put({ ...there, fields } as Collection)
}

/** PocketBase keeps a field's id when it is renamed. */
const isTaken = (sources: readonly Field[], field: Field) => sources.some(({ id }) => id === field.id)
