import { ClientResponseError } from 'pocketbase'
import { pb } from '../../data/client.ts'
import { faultOf } from '../../data/fault.ts'
import { inLanes } from '../../data/in-lanes.ts'
import type { Contact } from '../../data/records.ts'
import type { NewContact } from './import-rows.ts'

/** What has been done so far. */
export interface Outcome {
  readonly added: number
  /** There before, and changed to what the file says. */
  readonly changed: number
  /** There before, and left as they were. */
  readonly left: number
  readonly failed: readonly { readonly contact: NewContact; readonly why: string }[]
}

export interface ImportOptions {
  readonly user: string
  /** The group that all of them join, or ''. */
  readonly group: string
  readonly overwrite: boolean
}

const TOLD_MS = 100

type Step = 'added' | 'changed' | 'left'

/**
 * Stores contacts, a few at a time. `tell` hears now and again how far it is. Once `stop` aborts no more are
 * begun. Never throws.
 */
export async function runImport(
  contacts: readonly NewContact[],
  options: ImportOptions,
  stop: AbortSignal,
  tell: (outcome: Outcome) => void,
): Promise<Outcome> {
  const counts = { added: 0, changed: 0, left: 0 }
  const failed: Outcome['failed'][number][] = []
  const outcome = (): Outcome => ({ ...counts, failed: [...failed] })
  let toldMs = 0
  const work = async (contact: NewContact) => {
    await store(contact, options).then(
      (step) => counts[step]++,
      (error) => failed.push({ contact, why: whyOf(error) }),
    )
    if (performance.now() - toldMs < TOLD_MS) return
    toldMs = performance.now()
    tell(outcome())
  }
  await inLanes(contacts, work, stop)
  return outcome()
}

async function store(
  { name, phone, data }: NewContact,
  { user, group, overwrite }: ImportOptions,
): Promise<Step> {
  const groups = group ? [group] : []
  const hasData = Object.keys(data).length > 0
  try {
    await pb.collection('contacts').create({ user, name, phone, groups, ...(hasData && { data }) })
    return 'added'
  } catch (error) {
    if (!isKnown(error)) throw error
  }
  if (!overwrite && !group) return 'left'
  const known = await pb
    .collection<Contact>('contacts')
    .getFirstListItem(pb.filter('user = {:user} && phone = {:phone}', { user, phone }))
  const changes = {
    ...(overwrite && name && { name }),
    ...(overwrite && hasData && { data: { ...objectOf(known.data), ...data } }),
    ...(group && { 'groups+': group }),
  }
  await pb.collection('contacts').update(known.id, changes)
  return 'changed'
}

const objectOf = (data: unknown) =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {}

/** The number is a contact's already. */
const isKnown = (error: unknown): boolean => {
  const data =
    error instanceof ClientResponseError ? (error.response.data as Record<string, { code?: string }>) : {}
  return Object.values(data ?? {}).some(({ code }) => code === 'validation_not_unique')
}

function whyOf(error: unknown): string {
  const { fields, message } = faultOf(error)
  return Object.values(fields)[0] ?? message
}
