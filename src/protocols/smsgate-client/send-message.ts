import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { number, runForRow, statement, text } from '../../db/statement.ts'
import { formatDate } from '../../fields/types/date.ts'
import type { Ctx } from '../../http/context.ts'
import { queryOf } from '../../http/query.ts'
import type { SendBody } from '../../sms/send/body.ts'
import { firstAnswer, type Idempotency, readIdempotency } from '../../sms/send/idempotency.ts'
import { type SendServices, send } from '../../sms/send/send.ts'
import { checkShape, invalid, isRefusal, type Sender } from '../../sms/send/shape.ts'
import type { Call } from './description.ts'
import { type MessageState, sendOfRef, stateOf } from './message-state.ts'
import { prefixOf } from './path.ts'
import { flagIn, givenIn, numberIn, unknownDevice } from './query.ts'
import { readSendBody } from './send-body.ts'

/** Sends as `/api/sms/send`; answers with state and Location. Throws also 409 for a used id. */
export async function answerSend({ c, services, json, sender, store }: Call): Promise<MessageState> {
  const { deviceActiveWithin } = checkShape(QUERY, givenIn(queryOf(c)))
  const { user } = sender
  const idempotency = readIdempotency(c.req.header('idempotency-key'), c.req.path, json)
  // look up a stored answer first: other checks depend on the time
  const first = idempotency && (await firstAnswer(store, user, idempotency))
  if (first) return answered(c, await readState(store, user, refOf(first)), true)
  const body = readSendBody(json, new Date())
  await checkDevices(store, user, body, deviceActiveWithin)
  const { answer, replayed } = await sendOrWait({ ...services.sending, store }, sender, body, idempotency)
  const state = await readState(store, user, refOf(answer)).catch((error: unknown) => {
    if (replayed) throw error
    // the message is stored: an error would make some programs send it again
    return acceptedState(refOf(answer), body)
  })
  return answered(c, state, replayed)
}

function answered(c: Ctx, state: MessageState, replayed: boolean): MessageState {
  c.header('Location', `${prefixOf(c.env.incoming.url ?? '')}/messages/${encodeURIComponent(state.id)}`)
  if (replayed) c.header('Idempotent-Replayed', 'true')
  // scripts of other origins can read only headers that are named here
  c.header('Access-Control-Expose-Headers', replayed ? 'Location, Idempotent-Replayed' : 'Location')
  return state
}

/** `deviceActiveWithin`: hours within which the named device must have been seen; 0: no such condition. */
const QUERY = z.object({
  // accepted without effect: only E.164 numbers can be stored
  skipPhoneValidation: flagIn,
  deviceActiveWithin: numberIn.refine((hours) => hours >= 0, 'must not be negative').default(0),
})

function refOf(answer: string): string {
  const { batch_id, message_ids } = JSON.parse(answer) as { batch_id: string; message_ids: string[] }
  return batch_id || message_ids[0]!
}

const readState = async (store: Store, user: string, ref: string) =>
  stateOf(store, user, await sendOfRef(store, user, ref))

/** The state of an accepted send, made from its request because the database cannot be read. */
function acceptedState(ref: string, { recipients, deviceId, content, options }: SendBody): MessageState {
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
    ...('body' in content && { textMessage: { text: content.body } }),
  }
}

/** Sends. If the named device is not available, the message is scheduled for now and waits for it. */
async function sendOrWait(
  services: SendServices,
  sender: Sender,
  body: SendBody,
  idempotency: Idempotency | null,
) {
  try {
    return await send(services, sender, body, idempotency)
  } catch (error) {
    const mayWait = body.deviceId !== '' && isRefusal(error, 'no_devices')
    if (!mayWait) throw isRefusal(error, 'device_not_found') ? unknownDevice() : error
    const options = { ...body.options, scheduledAt: formatDate(new Date()) }
    return send(services, sender, { ...body, options }, idempotency)
  }
}

const DEVICES = statement('smsgate send devices', { wasActive: 'boolean', hasSim: 'boolean' })`
select d.last_seen >= ${text('since')} as "wasActive",
  exists (select from lines l where l.device = d.id and l.slot in (${number('sim')}, 0)) as "hasSim"
from devices d where d."user" = ${text('user')} and (${text('deviceId')} = '' or d.id = ${text('deviceId')}) limit 1`

/** Throws 400 when the user has no device, or the named one was not seen for so long or has no such SIM. */
async function checkDevices(
  { db }: Store,
  user: string,
  { deviceId, options: { sim } }: SendBody,
  activeWithinHours: number,
): Promise<void> {
  const since = formatDate(new Date(Math.max(0, Date.now() - activeWithinHours * 3_600_000)))
  const found = await runForRow(db, DEVICES, { user, deviceId, since, sim })
  if (!found) throw deviceId ? unknownDevice() : invalid('You have no device: pair one first')
  const { wasActive, hasSim } = found
  if (deviceId && sim > 0 && !hasSim) throw invalid(`simNumber ${sim} is no SIM of this device (deviceId)`)
  if (deviceId && activeWithinHours > 0 && !wasActive)
    throw invalid(`deviceId was not active within ${activeWithinHours} hours (deviceActiveWithin)`)
}
