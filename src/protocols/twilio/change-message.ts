import { requirePermit } from '../../gateway/base/permissions.ts'
import { cancelMessage } from '../../gateway/messages/queue/cancel-messages.ts'
import { deleteEndedMessage, redactEndedMessage } from '../../gateway/retention/end-messages.ts'
import type { Call } from './identify-account.ts'
import { fetchMessage, requireMessage } from './messages.ts'
import { makeInvalidError, TwilioRefusal } from './twilio-errors.ts'

/**
 * Cancels a message, removes its text and files (in stored webhook deliveries, too), or does both. Throws
 * 404, TwilioRefusal 20001 for wrong parameters, 30409 if too late to cancel, 20009 if too early to remove.
 */
export async function changeMessage(call: Call) {
  const { store, sid, parameters } = call
  const { id } = await requireMessage(call, sid)
  const [status, body] = [parameters.get('Status') ?? '', parameters.get('Body')]
  if (status !== '' && status !== 'canceled')
    throw makeInvalidError("Status can be 'canceled' only")
  if (body !== undefined && body !== '') throw makeInvalidError('Body can only be made empty')
  if (status === '' && body === undefined) throw makeInvalidError('Body or Status is required')
  if (status !== '') await cancelMessage(store, requirePermit(call, 'cancel'), id)
  if (body !== undefined && !(await redactEndedMessage(store, call, id))) throw makeWaitingError()
  return fetchMessage(call)
}

/** Deletes a message. Throws 404, and TwilioRefusal 20009 for a message that still waits. */
export async function deleteMessage(call: Call): Promise<void> {
  const { services, store, sid } = call
  const { id } = await requireMessage(call, sid)
  if (!(await deleteEndedMessage(store, services.extensions, call, id))) throw makeWaitingError()
}

const makeWaitingError = () =>
  new TwilioRefusal(20009, 'The message is not over yet: its text stays until it is sent')
