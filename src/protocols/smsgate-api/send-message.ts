import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { isRefusal } from '../../gateway/base/gateway-errors.ts'
import type { Sender } from '../../gateway/base/make-sender.ts'
import {
  findFirstAnswer,
  type Idempotency,
  readIdempotency,
} from '../../gateway/messages/send/idempotency.ts'
import { type SendServices, sendMessages } from '../../gateway/messages/send/send-messages.ts'
import type { SendBody } from '../../gateway/messages/send/send-options.ts'
import type { Ctx } from '../../http/request-context.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { queries } from '../../platform/db/queries.ts'
import { readPathPrefix } from './canonical-path.ts'
import type { Call } from './define-route.ts'
import { sendOfRef } from './find-send.ts'
import { readSendBody } from './send-body.ts'
import { type MessageState, readSendState } from './send-state.ts'
import { checkQuery, makeDeviceError, queryFlag, queryNumber } from './smsgate-values.ts'

/** Sends. Answers with state and `Location`. Throws as `/api/sms/send`, and 409 for an id that was used. */
export async function answerSend(call: Call): Promise<MessageState> {
  const { c, services, json, user, store } = call
  const { deviceActiveWithin } = checkQuery(c, QUERY)
  const idempotency = readIdempotency(c.req.header('idempotency-key'), c.req.path, json)
  // a repeated request gets its first answer: the checks below depend on the time and might refuse it
  const first = idempotency && (await findFirstAnswer(store, user, idempotency))
  if (first) return answerState(c, await readState(store, user, readSendRef(first)), true)
  const memory = c.env.incoming.memory
  const body = await readSendBody(store, user, json, new Date(), services.config, memory)
  await checkDevices(store, user, body, deviceActiveWithin)
  const { answer, replayed } = await sendOrWait(
    { ...services.sending, store },
    call,
    body,
    idempotency,
  )
  const state = await readState(store, user, readSendRef(answer)).catch((error: unknown) => {
    if (replayed) throw error
    // the message is stored: an error would make some programs send it again
    return makeAcceptedState(readSendRef(answer), body)
  })
  return answerState(c, state, replayed)
}

function answerState(c: Ctx, state: MessageState, replayed: boolean): MessageState {
  c.header(
    'Location',
    `${readPathPrefix(c.env.incoming.url ?? '')}/messages/${encodeURIComponent(state.id)}`,
  )
  if (replayed) c.header('Idempotent-Replayed', 'true')
  // scripts of other origins can read only headers that are named here
  c.header('Access-Control-Expose-Headers', replayed ? 'Location, Idempotent-Replayed' : 'Location')
  return state
}

/** `deviceActiveWithin`: hours within which the named device must have been seen; 0: no such condition. */
const QUERY = z.object({
  // accepted without effect: only E.164 numbers can be stored
  skipPhoneValidation: queryFlag,
  deviceActiveWithin: queryNumber.refine((hours) => hours >= 0, 'must not be negative').default(0),
})

function readSendRef(answer: string): string {
  const { batch_id, message_ids } = JSON.parse(answer) as {
    batch_id: string
    message_ids: string[]
  }
  return batch_id || message_ids[0]!
}

const readState = async (store: Store, user: string, ref: string) =>
  readSendState(store, user, await sendOfRef(store, user, ref))

/** The state of an accepted send, made from its request, for when the database cannot be read. */
function makeAcceptedState(
  ref: string,
  { recipients, deviceId, content, media, options }: SendBody,
): MessageState {
  const createdAt = new Date().toISOString()
  return {
    id: options.origin?.id || ref,
    deviceId,
    state: 'Pending',
    isHashed: false,
    isEncrypted: false,
    recipients: recipients.map((phoneNumber) => ({ phoneNumber, state: 'Pending' })),
    states: { Pending: createdAt },
    createdAt,
    ...('body' in content && !media && { textMessage: { text: content.body } }),
  }
}

/**
 * Sends. If the named device is not available, sets `scheduledAt` to the present time: then the message waits
 * for the device.
 */
async function sendOrWait(
  services: SendServices,
  sender: Sender,
  body: SendBody,
  idempotency: Idempotency | null,
) {
  try {
    return await sendMessages(services, sender, body, idempotency)
  } catch (error) {
    const mayWait = body.deviceId !== '' && isRefusal(error, 'no_devices')
    if (!mayWait) throw isRefusal(error, 'device_not_found') ? makeDeviceError() : error
    const options = { ...body.options, scheduledAt: formatDate(new Date()) }
    return sendMessages(services, sender, { ...body, options }, idempotency)
  }
}

/** Throws 400 if the user has no device, or the named one lacks the SIM or was last seen too long ago. */
async function checkDevices(
  { db }: Store,
  user: string,
  { deviceId, options: { sim } }: SendBody,
  activeWithinHours: number,
): Promise<void> {
  const since = formatDate(new Date(Math.max(0, Date.now() - activeWithinHours * 3_600_000)))
  const found = await queries(db)
    .selectFrom('devices as d')
    .select(({ eb, exists, selectFrom }) => [
      eb('d.last_seen', '>=', since).as('wasActive'),
      exists(
        selectFrom('lines as l').whereRef('l.device', '=', 'd.id').where('l.slot', 'in', [sim, 0]),
      ).as('hasSim'),
    ])
    .where('d.user', '=', user)
    .$if(deviceId !== '', (query) => query.where('d.id', '=', deviceId))
    .limit(sql.lit(1))
    .executeTakeFirst()
  if (!found)
    throw deviceId ? makeDeviceError() : invalidRequest('You have no device: pair one first')
  const { wasActive, hasSim } = found
  if (deviceId && sim > 0 && !hasSim)
    throw invalidRequest(`simNumber ${sim} is not a SIM of this device (deviceId)`)
  if (deviceId && activeWithinHours > 0 && !wasActive)
    throw invalidRequest(
      `deviceId was not active within ${activeWithinHours} hours (deviceActiveWithin)`,
    )
}
