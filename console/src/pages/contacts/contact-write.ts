import { isObject } from '../../data/is-object.ts'
import type { Contact } from '../../data/record-types.ts'
import type { NewContact } from './import-plan.ts'

export interface ImportOptions {
  readonly user: string
  /** The id of the group that all contacts join, or ''. */
  readonly group: string
  readonly overwrite: boolean
  /** Fields of the entries of `consents` by which all contacts agreed to the group, or without one to all. */
  readonly consent: Readonly<Record<string, unknown>> | undefined
}

/**
 * The write of a contact: an update if there is an `id`, else a new contact. Undefined if nothing is to be
 * stored.
 */
type Write = { readonly id?: string; readonly values: Record<string, unknown> } | undefined

/** The values that an import stores of a contact; none if the known contact has them all. */
export function makeContactWrite(
  { name, phone, data }: Pick<NewContact, 'name' | 'phone' | 'data'>,
  known: Pick<Contact, 'id' | 'name' | 'data' | 'groups'> | undefined,
  { user, group, overwrite }: ImportOptions,
): Write {
  const hasData = Object.keys(data).length > 0
  const groups = group ? [group] : []
  if (!known) return { values: { user, name, phone, groups, ...(hasData && { data }) } }
  const stored: Readonly<Record<string, unknown>> = isObject(known.data) ? known.data : {}
  const isSame = Object.entries(data).every(([key, value]) => String(stored[key] ?? '') === value)
  const values = {
    ...(overwrite && name && name !== known.name && { name }),
    ...(overwrite && !isSame && { data: { ...stored, ...data } }),
    ...(group && !known.groups.includes(group) && { 'groups+': group }),
  }
  return Object.keys(values).length > 0 ? { id: known.id, values } : undefined
}
