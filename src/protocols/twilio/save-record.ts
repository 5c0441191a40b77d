import { createRecord, updateRecord } from '../../engine/records/create-or-update.ts'
import { makeServerRequest } from '../../engine/request/request.ts'
import { noteAct } from '../../gateway/messages/queue/audit-message-change.ts'
import { ApiError } from '../../platform/api-errors.ts'
import type { Call } from './identify-account.ts'

/**
 * Changes a record, or without an id creates one, with a superuser's rights. Returns it as JSON. `refusal`
 * makes the error for an invalid field.
 */
export async function saveRecord(
  call: Call,
  name: string,
  id: string | undefined,
  values: Record<string, unknown>,
  refusal: (why: string) => Error,
): Promise<string> {
  const { store, services } = call
  const { extensions } = services
  const collection = store.catalog.find(name)!
  const noted = noteAct(call, name, id ? 'update' : 'create', Object.keys(values))
  const request = makeServerRequest(store, values)
  try {
    if (id) return await updateRecord(store, extensions, collection, id, request, noted)
    return await createRecord(store, extensions, collection, request, noted)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    const [first] = Object.values(error.data)
    throw refusal(typeof first?.message === 'string' ? first.message : error.message)
  }
}
