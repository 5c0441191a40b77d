import { sql } from 'kysely'
import { readMailSender } from '../../engine/auth/auth-mails.ts'
import { type MailServices, makeMessageId, sendMail } from '../../engine/auth/send-mail.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Job, JobKind } from '../../platform/jobs/job-queue.ts'
import { readLanguage } from '../../portable/languages.ts'
import { isTimeZone } from '../lines/check-zones-and-hours.ts'
import type { AlarmNews } from './render-alarm-mail.ts'

/** Name of the jobs that send alarm mails. The payload is AlarmNews[], the key is part of the Message-ID. */
const ALARM_MAIL = 'alarm_mail'
/**
 * `last_seen` may be this many seconds old: servers write it no more often (gateway/base/device-record.ts).
 */
const SPARED_SECONDS = 30

/** Adds mail jobs about devices that fail, are low on battery, are silent or have returned. */
export async function checkSilentDevices(db: Db, alarmMinutes: number): Promise<void> {
  await callFunction(db, 'alarms_check', alarmMinutes * 60 + SPARED_SECONDS)
}

/** A mail that has waited longer than this is not sent any more. */
const MAX_AGE_MS = 86_400_000
/** A mail waits this many seconds at a time while an older mail of its account is unsent. */
const IN_ORDER_SECONDS = 60

/** The owner; undefined if deleted or unverified. */
const findOwner = (db: Db, { holder }: Job) =>
  queries(db)
    .selectFrom('users as u')
    .leftJoin('user_settings as s', 's.user', 'u.id')
    .select(['u.email as to', 'u.language', 's.time_zone as timeZone', 's.country'])
    .where('u.id', '=', holder)
    .where('u.verified', '=', true)
    .executeTakeFirst()

/** Whether an older mail of the account has to be sent first. */
const findOlderMail = (db: Db, { id, holder }: Job) =>
  queries(db)
    .selectFrom('_jobs')
    .select('id')
    .where('kind', '=', ALARM_MAIL)
    .where('holder', '=', holder)
    .where('id', '<', id)
    .where('dead_at', 'is', null)
    .limit(sql.lit(1))
    .executeTakeFirst()

/** Jobs that send alarm mails, in order for each account. A retried mail has the same Message-ID. */
export const makeAlarmMailJobs = (
  storeOf: (user: string) => Store,
  post: MailServices,
): JobKind => ({
  name: ALARM_MAIL,
  places: 4,
  placesOfHolder: 1,
  timeoutSeconds: 600,
  // more than MAX_AGE_MS leaves time for
  maxAttempts: 40,
  async run(job) {
    if (job.ageMs > MAX_AGE_MS) {
      post.log.error({ mail: job.key }, 'could not send an alarm mail within a day')
      return
    }
    const { db } = storeOf(job.holder)
    if (await findOlderMail(db, job)) return { inSeconds: IN_ORDER_SECONDS }
    const owner = await findOwner(db, job)
    if (!owner) return
    const reader = {
      language: readLanguage(owner.language),
      timeZone: isTimeZone(owner.timeZone ?? '') ? owner.timeZone! : 'UTC',
      country: owner.country ?? '',
    }
    const { renderAlarmMail } = await import('./render-alarm-mail.ts')
    await sendMail(post, {
      ...renderAlarmMail(job.payload as AlarmNews[], readMailSender(post), reader),
      messageId: makeMessageId(post, job.key),
      to: owner.to,
    })
  },
})
