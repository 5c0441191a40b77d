import { matchAny, pb } from '../../data/client.ts'
import { nameMember } from '../../data/contact-fields.ts'
import { readFault } from '../../data/fault.ts'
import { isObject } from '../../data/is-object.ts'
import type { Contact, ContactField } from '../../data/record-types.ts'
import { convertStored } from './convert-stored.ts'

interface StoredValue {
  readonly contact: Contact
  readonly stored: unknown
}

export interface FoundValues {
  readonly fits: number
  /** The ids of contacts whose value the field would store in another form. */
  readonly convertible: readonly string[]
  /** How the first of them is stored, and would be. */
  readonly example: readonly [stored: string, converted: string] | undefined
  readonly misfits: number
  /** The first of them. */
  readonly listed: readonly StoredValue[]
}

const PAGE = 500
const MOST_LISTED = 50
/** Writes per batch request: the server's default limit. */
const BATCH = 50

const readStored = ({ data }: Contact, { key }: ContactField): unknown =>
  isObject(data) ? data[key] : undefined

/** Compares all stored values of a field with its type. Reports progress to `tell`; ends early by `stop`. */
export async function findStoredValues(
  field: ContactField,
  stop: AbortSignal,
  tell: (through: number, total: number) => void,
): Promise<FoundValues> {
  const name = nameMember(field.key)
  const filter = `${name} != null && ${name} != ""`
  let [fits, misfits, through, total, last] = [0, 0, 0, 0, '']
  let example: FoundValues['example']
  const convertible: string[] = []
  const listed: StoredValue[] = []
  while (!stop.aborted) {
    const { items, totalItems } = await pb.collection<Contact>('contacts').getList(1, PAGE, {
      filter: last ? `${filter} && id > "${last}"` : filter,
      sort: 'id',
      fields: 'id,name,phone,data',
      skipTotal: last !== '',
    })
    if (last === '') total = totalItems
    for (const contact of items) {
      const stored = readStored(contact, field)
      const conversion = convertStored(field, stored)
      if (conversion.kind === 'converts') {
        convertible.push(contact.id)
        example ??= [String(stored), String(conversion.value)]
      } else if (conversion.kind === 'fits') fits++
      else {
        misfits++
        if (listed.length < MOST_LISTED) listed.push({ contact, stored })
      }
    }
    through += items.length
    tell(through, total)
    if (items.length < PAGE) break
    last = items.at(-1)!.id
  }
  return { fits, convertible, example, misfits, listed }
}

/**
 * Stores the values of these contacts in the form of their field. Values that somebody has changed meanwhile
 * are read again before. Returns how many were converted; throws while the server is unreachable.
 */
export async function convertStoredValues(
  field: ContactField,
  ids: readonly string[],
  stop: AbortSignal,
  tell: (through: number) => void,
): Promise<number> {
  let converted = 0
  for (let at = 0; at < ids.length && !stop.aborted; at += BATCH) {
    const filter = matchAny('id', ids.slice(at, at + BATCH))
    const { items } = await pb
      .collection<Contact>('contacts')
      .getList(1, BATCH, { filter, fields: 'id,data', skipTotal: true })
    converted += await storeValues(items.flatMap((contact) => makeWrite(contact, field)))
    tell(Math.min(at + BATCH, ids.length))
  }
  return converted
}

type Write = Pick<Contact, 'id' | 'data'>

function makeWrite(contact: Contact, field: ContactField): Write[] {
  const conversion = convertStored(field, readStored(contact, field))
  if (conversion.kind !== 'converts' || !isObject(contact.data)) return []
  return [{ id: contact.id, data: { ...contact.data, [field.key]: conversion.value } }]
}

/** Stores contacts together or, if one is refused, each alone without those. Returns how many. */
async function storeValues(writes: readonly Write[]): Promise<number> {
  if (writes.length === 0) return 0
  const batch = pb.createBatch()
  const contacts = writes.length === 1 ? pb.collection('contacts') : batch.collection('contacts')
  try {
    for (const { id, data } of writes) await contacts.update(id, { data })
    if (writes.length > 1) await batch.send()
    return writes.length
  } catch (error) {
    if (readFault(error).isAway) throw error
    if (writes.length === 1) return 0
    let stored = 0
    for (const write of writes) stored += await storeValues([write])
    return stored
  }
}
