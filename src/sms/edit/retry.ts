import type { Store } from '../../collections/catalog.ts'
import { isOwnedBy } from '../../db/by-id.ts'
import { dateOf } from '../../fields/types/date.ts'
import { ANY_LINE, dateAt, PLAIN_OPTIONS, type SendBody, type SendOptions } from '../send/body.ts'
import { gatewayRefusal } from '../send/refusal.ts'
import type { Sent } from '../send/render-verdict.ts'
import { type SendServices, send } from '../send/send.ts'
import type { Sender } from '../send/sender.ts'
import type { Status } from '../status/status.ts'

const FAILED = `
select status, message_type, "to", body, priority, sim, guarantee, expires_at,
  case when scheduled_at <> '' then scheduled_at else created end
from sms_messages m where id = $1 and ${isOwnedBy('m', '$2')}`

/** Sends a failed message again, `client_ref` `retry:<id>`. Repeatable. Throws 404, 409 and as a send. */
export async function retryMessage(services: SendServices, sender: Sender, id: string): Promise<Sent> {
  return send(services, sender, await bodyOf(services.store, sender.user, id, new Date()))
}

async function bodyOf({ db }: Store, user: string, id: string, now: Date): Promise<SendBody> {
  const { rows } = await db.query(FAILED, [id, user], 'sms retry')
  if (!rows[0]) throw gatewayRefusal('message_not_found')
  const [status, type, to, body, priority, sim, guarantee, expiresAt, due] = rows[0] as [
    ...[Status, string, string, string, number, number, SendOptions['guarantee'], string, string],
  ]
  if (status !== 'failed' || type !== 'outgoing') throw gatewayRefusal('not_retriable')
  if (body === '') throw gatewayRefusal('not_retriable', 'The text of this message is no longer kept')
  const options: SendOptions = {
    ...PLAIN_OPTIONS,
    expiresAt: expiresAt && shifted(now, due, expiresAt),
    priority,
    sim,
    guarantee,
    clientRef: retryRef(id),
  }
  return { recipients: [to], groupIds: [], deviceId: '', line: ANY_LINE, content: { body }, options }
}

/** The `client_ref` of the message that a failed one is sent again as: there is never a second. */
export const retryRef = (id: string) => `retry:${id}`

/** As long after `now` as `until` is after `from`. */
export const shifted = (now: Date, from: string, until: string): string =>
  dateAt(now.getTime() + dateOf(until)!.getTime() - dateOf(from)!.getTime())
