import { UserError } from '../../platform/api-errors.ts'
import type { CatalogDraft } from '../collections/catalog.ts'
import { type Collection, USERS_ID } from '../collections/collection.ts'
import type { Field } from '../fields/field.ts'
import type { ExportedCollection, ReportSentence } from './exported-collection.ts'

/** A condition added to imported rules, so that users cannot raise their own quota. */
const QUOTA_GUARD = '@request.body.monthly_quota:isset = false'

/** Throws a UserError if the source has another collection under the name or id of a built-in one. */
export function refuseTakenNames(draft: CatalogDraft, raws: readonly ExportedCollection[]): void {
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
export function guardQuota(raw: ExportedCollection, report: ReportSentence): ExportedCollection {
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
export async function copyFieldIds(draft: CatalogDraft, raw: ExportedCollection): Promise<void> {
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
