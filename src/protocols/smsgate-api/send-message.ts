import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { isRefusal } from '../../gateway/base/gateway-errors.ts'
import { sendOfRef } from '../../gateway/messages/find-send.ts'
import { type AcceptedMessage, acceptSend } from '../../gateway/messages/send/accept-send.ts'
import type { SendBody } from '../../gateway/messages/send/send-options.ts'
import type { Ctx } from '../../http/request-context.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { queries } from '../../platform/db/queries.ts'
import { readPathPrefix } from './canonical-path.ts'
import type { Call } from './define-route.ts'
import { readSendBody } from './send-body.ts'
import { type MessageState, readSendState } from './send-state.ts'
import { checkQuery, makeDeviceError, queryFlag, queryNumber, toIsoDate } from './smsgate-values.ts'

/**
 * Sends. A message for a device that cannot send now waits for it. Answers with state and `Location`. Throws
 * as `/api/sms/send`, and 409 for an id that was used.
 */
export async function answerSend(call: Call): Promise<MessageState> {
  const { c, services, json, user, store } = call
  const { deviceActiveWithin } = checkQuery(c, QUERY)
  let body: SendBody | undefined
  const accepted = await acceptSend({ ...services.sending, store }, call, {
    once: { key: c.env.incoming.idempotencyKey, endpoint: c.req.path, asked: json },
    waitsForDevice: true,
    read: async () => {
      const { memory } = c.env.incoming
      body = await readSendBody(store, user, json, new Date(), services.config, memory)
      await checkDevices(store, user, body, deviceActiveWithin)
      return { body }
    },
  }).catch((error: unknown) => {
    throw isRefusal(error, 'device_not_found') ? makeDeviceError() : error
  })
  const ref = accepted.batch || accepted.ids[0]!
  const { isReplayed, messages = [] } = accepted
  // when a text failed, and what is stored of files, is read
  const isKnown = messages.length > 0 && messages.every(({ fault }) => fault === '')
  if (body && !body.media && isKnown)
    return answerState(c, makeAcceptedState(ref, body, messages[0]), false)
  const state = await readState(store, user, ref).catch((error: unknown) => {
    if (!body || isReplayed) throw error
    // the message is stored: an error would make some programs send it again
    return makeAcceptedState(ref, body, messages[0])
  })
  return answerState(c, state, isReplayed)
}

function answerState(c: Ctx, state: MessageState, replayed: boolean): MessageState {
  c.header(
    'Location',
    `${readPathPrefix(c.env.incoming.url ?? '')}/messages/${encodeURIComponent(state.id)}`,
  )
  if (replayed) c.header('Idempotent-Replayed', 'true')
  return state
}

/** `deviceActiveWithin`: hours within which the named device must have been seen; 0: no such condition. */
const QUERY = z.object({
  // accepted without effect: only E.164 numbers can be stored
  skipPhoneValidation: queryFlag,
  deviceActiveWithin: queryNumber.refine((hours) => hours >= 0, 'must not be negative').default(0),
})

const readState = async (store: Store, user: string, ref: string) =>
  readSendState(store, user, await sendOfRef(store, user, ref))

/** The state of an accepted send whose texts all wait, made from its request and its first message. */
function makeAcceptedState(
  ref: string,
  { recipients, deviceId, content, media, options }: SendBody,
  first: AcceptedMessage | undefined,
): MessageState {
  const createdAt = first ? toIsoDate(first.created) : new Date().toISOString()
  return {
    id: options.origin?.id || ref,
    deviceId: first?.device ?? deviceId,
    state: 'Pending',
    isHashed: false,
    isEncrypted: false,
    recipients: recipients.map((phoneNumber) => ({ phoneNumber, state: 'Pending' })),
    states: { Pending: createdAt },
    createdAt,
    ...('body' in content && !media && { textMessage: { text: content.body } }),
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
  const found = await queries(db, 'lookUp')
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
