import { saveAuditedRecord } from '../../gateway/messages/audited-records.ts'
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
  try {
    return await saveAuditedRecord(call, name, id, values)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    const [first] = Object.values(error.data)
    throw refusal(typeof first?.message === 'string' ? first.message : error.message)
  }
}
