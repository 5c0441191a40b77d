import { type RawBuilder, sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import { matchAny, queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import type { Device } from '../base/device-record.ts'
import { type MessageAttempt, renewLeases } from '../messages/queue/message-leases.ts'
import { makeAppId } from './app-json.ts'
import { belongsToDevice, unnestAttempts, updatePhone } from './phone-record.ts'

// A phone holds texts outside its work hours. The server notices that when a phone still has a text after its
// `validUntil`: the app compares this time only when it is about to send.

/** A phone that holds texts may doze: their leases are this many times as long. */
const HELD_LEASES = 10
/** After a held text has expired on the phone, the reports on the others follow within this time. */
const EXPIRING_SECONDS = 5

export const IS_HOLDING = sql<boolean>`coalesce(p.held_until > now(), false)`

/** Whether text `t` is held by its phone, and another device may send it. Then the phone is to cancel it. */
export const isRecalled = (device: Device, onlineSeconds: number) => sql<boolean>`exists (
  select from sms_dispatch d join sms_messages m on m.id = d.message
  where d.message = t.message and d.attempt = t.attempt and d.device = t.device and d.state = 'sending'
    and not d.pinned and m.waiting_for = 'phone' and exists (
      select from sms_ranked_lines(t."user", pb_text(${writeTimeInSeconds(-onlineSeconds)})) l
      left join smsgate_phones o on o.device = l.device
      where l.rank = 0 and l.is_free and l.device <> ${device.id} and coalesce(o.held_until <= now(), true)))`

/** Stores which of the texts that a phone still has to send it holds. Returns whether it holds any. */
export async function noteHeld(
  store: Store,
  device: Device,
  waiting: readonly MessageAttempt[],
  leaseSeconds: number,
): Promise<boolean> {
  const isOverdue = sql<boolean>`not t.is_processed and t.valid_until <= now()`
  const held = await findTextsAtPhone(store, device, waiting, isOverdue)
  if (held.length === 0) return false
  const seconds = leaseSeconds * HELD_LEASES
  await renewLeases(store, device, held, seconds)
  await queries(store.db)
    .updateTable('sms_messages')
    .set({ waiting_for: 'phone', updated: sql`pb_text(now())` })
    .where('id', '=', matchAny(held.map(({ id }) => id)))
    .where('device', '=', device.id)
    .where('status', '=', 'sending')
    .where('waiting_for', '<>', 'phone')
    .execute()
  await updatePhone(store.db, device)
    .set({ held_until: writeTimeInSeconds(seconds) })
    .execute()
  return true
}

/** After a text expired on a phone: whether the phone held it. Then the phone sends again soon. */
export async function noteExpired({ db }: Store, device: Device): Promise<boolean> {
  const { numUpdatedRows } = await updatePhone(db, device)
    .set({ held_until: writeTimeInSeconds(EXPIRING_SECONDS) })
    .where('held_until', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Which of these texts the server has asked the phone to cancel: their ids in the app. */
export async function listRecalled(store: Store, device: Device, texts: readonly MessageAttempt[]) {
  const isRecalled = sql<boolean>`t.canceled_at is not null`
  return new Set((await findTextsAtPhone(store, device, texts, isRecalled)).map(makeAppId))
}

/** Finds the attempts that the phone has and for which a condition on the row `t` holds. */
async function findTextsAtPhone(
  { db }: Store,
  device: Device,
  texts: readonly MessageAttempt[],
  condition: RawBuilder<boolean>,
): Promise<readonly MessageAttempt[]> {
  if (texts.length === 0) return []
  return executeStatement(
    db,
    sql<MessageAttempt>`select t.message as id, t.attempt from smsgate_texts t
      join ${unnestAttempts(texts)} g(id text, attempt int)
        on t.message = g.id and t.attempt = g.attempt
      where ${belongsToDevice(device)} and ${condition}`,
  )
}
