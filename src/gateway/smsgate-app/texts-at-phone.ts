import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Device } from '../base/device-record.ts'
import type { MessageAttempt } from '../messages/queue/message-leases.ts'
import { belongsToDevice, unnestAttempts } from './phone-record.ts'
import { answerTime, hasUrgent, IS_TO_SEND, isCanceled, isOpen, toSend } from './refill.ts'

interface HandedText extends MessageAttempt {
  /** The phone must not send this text any more. */
  readonly isCanceled: boolean
  /** An answer listed this text so recently that the phone may still be reading it. */
  readonly isListed: boolean
  readonly isKnown: boolean
  readonly isToSend: boolean
}

/**
 * Reads what a phone was given, how many leases it has, whether its event stream is open, hasUrgent and
 * isOpen. Its row must be locked.
 */
export async function readHandedState(db: Db, device: Device, onlineSeconds: number) {
  const { texts, ...state } = await queries(db)
    .selectNoFrom([
      sql<boolean>`exists (
        select from device_streams s where s.device = ${device.id} and s.until > now())`.as(
        'canBeWoken',
      ),
      sql<boolean>`coalesce((select ${isOpen(device)} from smsgate_phones p where ${belongsToDevice(device)}), false)`.as(
        'isOpen',
      ),
      hasUrgent(device).as('hasUrgent'),
      sql<number>`(select count(*) from sms_dispatch where ${belongsToDevice(device)} and state = 'sending'
        and lease_until > now())::int`.as('leased'),
      sql<string>`coalesce((
        select json_agg(json_build_object(
          'id', t.message, 'attempt', t.attempt, 'isCanceled', ${isCanceled(device, onlineSeconds)}, 'isKnown', t.is_known,
          'isToSend', ${IS_TO_SEND},
          'isListed', t.listed_at > now() - ${answerTime}) order by t.message)
        from smsgate_texts t where ${belongsToDevice(device)}), '[]')::text`.as('texts'),
    ])
    .executeTakeFirstOrThrow()
  return { ...state, texts: JSON.parse(texts) as readonly HandedText[] }
}

/** What an answer to a phone lists. `validUntilMs` is by the database's clock. */
interface Listed {
  readonly texts: readonly (MessageAttempt & { readonly validUntilMs: number })[]
  readonly canceled: readonly MessageAttempt[]
  /** How many of `texts` the phone gets for the first time. */
  readonly added: number
}

/** Stores what an answer to a phone lists. Forgets texts that have expired and are no longer being sent. */
export async function noteListed(
  db: Db,
  device: Device,
  { texts, canceled, added }: Listed,
): Promise<void> {
  const given = texts.map(({ id, attempt, validUntilMs }) => ({ id, attempt, validUntilMs }))
  await executeStatement(
    db,
    sql`with forgotten as (
      delete from smsgate_texts t where ${belongsToDevice(device)} and t.valid_until <= now() and not exists (
        select from sms_dispatch d where d.message = t.message and d.attempt = t.attempt and d.state = 'sending')
    ), canceled as (
      update smsgate_texts t set canceled_at = now() from ${unnestAttempts(canceled)} g(id text, attempt int)
      where ${belongsToDevice(device)} and t.message = g.id and t.attempt = g.attempt
    ), phone as (
      update smsgate_phones set handed_at = now(), handed = ${added}::int + ${toSend(device)}
      where ${belongsToDevice(device)} and ${added}::int > 0
    )
    insert into smsgate_texts (device, "user", message, attempt, listed_at, valid_until)
    select ${device.id}, ${device.user}, g.id, g.attempt, now(), to_timestamp(g."validUntilMs" / 1000)
    from ${unnestAttempts(given)} g(id text, attempt int, "validUntilMs" float8)
    on conflict (device, message, attempt) do update set listed_at = excluded.listed_at`,
  )
}

/** A phone's report about a text: `waits` on the phone, was `processed` by Android, or is `over`. */
export type Progress = MessageAttempt & { readonly step: 'waits' | 'processed' | 'over' }

export async function noteProgress({ db }: Store, device: Device, progress: readonly Progress[]) {
  if (progress.length === 0) return
  // the last state counts if a report names a text twice
  const given = [...new Map(progress.map((text) => [`${text.id}.${text.attempt}`, text])).values()]
  await executeStatement(
    db,
    sql`with given as (
      select * from ${unnestAttempts(given)} g(id text, attempt int, step text)
    ), over as (
      delete from smsgate_texts t using given g
      where ${belongsToDevice(device)} and t.message = g.id and t.attempt = g.attempt and g.step = 'over'
    )
    update smsgate_texts t set is_known = true, is_processed = t.is_processed or g.step = 'processed' from given g
    where ${belongsToDevice(device)} and t.message = g.id and t.attempt = g.attempt and g.step <> 'over'`,
  )
}
