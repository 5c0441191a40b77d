import { matchAny, pb } from '../../data/client.ts'
import { readFault } from '../../data/fault.ts'
import type { Contact } from '../../data/record-types.ts'
import { type ImportOptions, makeContactWrite } from './contact-write.ts'
import type { NewContact } from './import-plan.ts'

export interface Outcome {
  readonly added: number
  /** Existing contacts that were changed to the file's values. */
  readonly changed: number
  /** Existing contacts that were left unchanged. */
  readonly left: number
  readonly failed: readonly { readonly contact: NewContact; readonly why: string }[]
}

/** The contacts' entries of `consents` then say that they were imported. */
const AS_IMPORT = { headers: { 'Consent-Source': 'import' } }

/** Writes per batch request: the server's default limit. */
const BATCH = 50

type Step = 'added' | 'changed' | 'left'

/**
 * Stores contacts in batches and reports progress to `tell`. No batch begins after `stop` is aborted.
 * Never throws.
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
  const store = async (some: readonly NewContact[]): Promise<void> => {
    try {
      for (const step of await storeBatch(some, options)) counts[step]++
    } catch (error) {
      // a batch fails as a whole: if it has several contacts, send them one by one to find the refused ones
      if (some.length === 1) failed.push({ contact: some[0]!, why: readReason(error) })
      else for (const contact of some) if (!stop.aborted) await store([contact])
    }
    tell(outcome())
  }
  const size = options.consent ? BATCH / 2 : BATCH
  for (let at = 0; at < contacts.length && !stop.aborted; at += size)
    await store(contacts.slice(at, at + size))
  return outcome()
}

/** Stores all contacts of a batch, or throws and stores none. */
async function storeBatch(
  contacts: readonly NewContact[],
  options: ImportOptions,
): Promise<Step[]> {
  const { user, group, consent } = options
  const known = await findContacts(contacts, user)
  const writes = contacts.map((contact) =>
    makeContactWrite(contact, known.get(contact.phone), options),
  )
  const batch = pb.createBatch()
  // a single contact is not sent as a batch: the error of a batch would not say why this contact is refused
  const openRecords = (name: string) =>
    writes.length === 1 ? pb.collection(name) : batch.collection(name)
  const [records, consents] = [openRecords('contacts'), openRecords('consents')]
  for (const [at, write] of writes.entries()) {
    if (write?.id) await records.update(write.id, write.values, AS_IMPORT)
    else if (write) await records.create(write.values, AS_IMPORT)
    const number = contacts[at]!.phone
    if (consent)
      await consents.create({
        ...consent,
        user,
        number,
        group,
        event: 'imported',
        source: 'import',
      })
  }
  if (writes.length > 1 && (consent || writes.some((write) => write))) await batch.send(AS_IMPORT)
  return writes.map((write) => (write ? (write.id ? 'changed' : 'added') : 'left'))
}

async function findContacts(
  contacts: readonly NewContact[],
  user: string,
): Promise<ReadonlyMap<string, Contact>> {
  const phones = matchAny(
    'phone',
    contacts.map(({ phone }) => phone),
  )
  const filter = `${pb.filter('user = {:user}', { user })} && (${phones})`
  const options = { filter, skipTotal: true }
  const { items } = await pb.collection<Contact>('contacts').getList(1, BATCH, options)
  return new Map(items.map((contact) => [contact.phone, contact]))
}

function readReason(error: unknown): string {
  const { fields, message } = readFault(error)
  return Object.values(fields)[0] ?? message
}
