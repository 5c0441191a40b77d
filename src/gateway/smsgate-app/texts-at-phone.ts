import { sql } from 'kysely'
import { executeStatement } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Device } from '../base/device-record.ts'
import type { ReportedRow } from '../messages/queue/apply-report-groups.ts'
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

/** A text in an answer to a phone. `validUntilMs` is by the database's clock. */
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

/** A phone's report about a text: it `waits` on the phone, was `processed` by Android, or is `over`. */
export interface Progress extends MessageAttempt {
  readonly device: string
  readonly user: string
  readonly step: 'waits' | 'processed' | 'over'
  /** Whether the phone has tried to send the text, so that it holds no texts now. */
  readonly isSending: boolean
  /** The lease of a text that was processed, and whose outcome is not known yet. */
  readonly seconds: number
}

/**
 * Makes a statement that stores how far phones are with texts and applies `reports` (sms_report) on them. One
 * of a phone and text. Locks the queue rows in the order of sms_report.
 */
export const writeProgress = (progress: readonly Progress[], reports: string) =>
  sql<ReportedRow>`with given as materialized (
    select * from json_to_recordset(${JSON.stringify(progress)}::json)
      g(device text, "user" text, id text, attempt int, step text, "isSending" boolean, seconds float8)
  ), locked as materialized (
    select d.message, d.attempt, d.state, g.attempt as reported, g.step, g.seconds from given g
    join sms_dispatch d on d.message = g.id and d.message = any(array(select id from given))
    where d.device || '' = g.device and d."user" || '' = g."user" order by d.message for update of d
  ), renewed as (
    update sms_dispatch d set lease_until = greatest(d.lease_until, now() + l.seconds * interval '1 second')
    from locked l where d.message = l.message and d.message = any(array(select message from locked))
      and l.state = 'sending' and l.attempt = l.reported and l.step = 'processed'
  ), phones as (
    update smsgate_phones p set held_until = null
    where p.device = any(array(select device from given where "isSending")) and p.held_until is not null
    returning 1
  ), over as (
    delete from smsgate_texts t using given g
    where t.device = any(array(select device from given)) and t.device = g.device and t."user" = g."user"
      and t.message = g.id and t.attempt = g.attempt and g.step = 'over' and (select count(*) from phones) >= 0
  ), kept as (
    update smsgate_texts t set is_known = true, is_processed = t.is_processed or g.step = 'processed' from given g
    where t.device = any(array(select device from given)) and t.device = g.device and t."user" = g."user"
      and t.message = g.id and t.attempt = g.attempt and g.step <> 'over' and (select count(*) from phones) >= 0
  )
  select r.* from (select count(*) as n from locked) l
  cross join lateral sms_report(case when l.n >= 0 then ${reports}::json end) r where ${reports}::text <> '[]'`
