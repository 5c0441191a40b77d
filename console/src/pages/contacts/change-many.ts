import { pb } from '../../data/client.ts'
import { type Fault, readFault } from '../../data/fault.ts'
import type { Contact } from '../../data/record-types.ts'
import { workInParallel } from '../../data/use/use-task.ts'

export type Change =
  | { readonly delete: true }
  /** Contacts that were deleted come back, with their ids. */
  | { readonly restore: true }
  | { readonly values: Readonly<Record<string, unknown>> }

export interface Changed {
  readonly done: readonly Contact[]
  readonly failed: number
  readonly fault: Fault | undefined
}

export const NOTHING: Changed = { done: [], failed: 0, fault: undefined }

/**
 * Changes, deletes or restores contacts, a few at a time, and reports progress to `tell`. A contact that was
 * deleted meanwhile counts as done. Never throws.
 */
export async function changeManyContacts(
  contacts: readonly Contact[],
  change: Change,
  tell: (changed: Changed) => void = () => {},
): Promise<Changed> {
  let changed: Changed = NOTHING
  await workInParallel(contacts, async (contact) => {
    const fault = await changeOneContact(contact, change)
    const isDone = !fault || fault.status === 404
    changed = isDone
      ? { ...changed, done: [...changed.done, contact] }
      : { ...changed, failed: changed.failed + 1, fault: changed.fault ?? fault }
    tell(changed)
  })
  return changed
}

async function changeOneContact(contact: Contact, change: Change): Promise<Fault | undefined> {
  const { id } = contact
  try {
    if ('delete' in change) await pb.collection('contacts').delete(id)
    else if ('restore' in change) await pb.collection('contacts').create(contact)
    else await pb.collection('contacts').update(id, change.values)
    return undefined
  } catch (error) {
    return readFault(error)
  }
}
