import type { AuthServices } from '../auth/auth-services.ts'
import { sendMail } from '../auth/mail/mailer.ts'
import { namesOf } from '../auth/mail/mails.ts'
import type { Store } from '../collections/catalog.ts'
import type { Job, JobKind } from '../work/kind.ts'
import { type AlarmNews, alarmMail } from './mail.ts'

/** The kind of the jobs. The payload is the news; the key is part of the Message-ID. */
export const ALARM_MAIL = 'alarm_mail'

/** Older mails are not sent any more. */
const MAX_AGE_MS = 86_400_000
/** Until a mail is tried again whose account has an older one. */
const IN_ORDER_SECONDS = 60

/** What sending needs beside the database. */
export type AlarmMailServices = Pick<AuthServices, 'settings' | 'log' | 'config'>

/** The address, null if the owner is gone or not verified, and whether an older mail is to go first. */
const READ = `
select (select u.email from users u where u.id = $1 and u.verified), exists (
  select from _jobs j where j.kind = '${ALARM_MAIL}' and j.holder = $1 and j.id < $2 and j.dead_at is null)`

/**
 * The jobs that send mails about silent devices, those of an account in their order. A mail that is sent
 * again after a crash has the same Message-ID.
 */
export const alarmMailJobs = (storeOf: (user: string) => Store, post: AlarmMailServices): JobKind => ({
  name: ALARM_MAIL,
  places: 4,
  placesOfHolder: 1,
  timeoutSeconds: 600,
  // more than fit into MAX_AGE_MS
  maxAttempts: 40,
  async run(job) {
    if (job.ageMs > MAX_AGE_MS) {
      post.log.error({ mail: job.key }, 'a mail about silent devices was given up')
      return
    }
    const { rows } = await storeOf(job.holder).db.query(READ, [job.holder, job.id], 'alarm mail read')
    const [to, waits] = rows[0] as [string | null, boolean]
    if (waits) return { inSeconds: IN_ORDER_SECONDS }
    if (to) await sendMail(post, { ...write(post, job), to })
  },
})

function write(post: AlarmMailServices, { payload, key }: Job) {
  const domain = post.settings.current.meta.senderAddress.split('@').at(-1)
  return { ...alarmMail(payload as AlarmNews[], namesOf(post)), messageId: `<${key}@${domain}>` }
}
