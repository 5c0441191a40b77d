import { sql } from 'kysely'
import { readMailSender } from '../../engine/auth/auth-mails.ts'
import { type MailServices, makeMessageId, sendMail } from '../../engine/auth/send-mail.ts'
import { hashSha256 } from '../../engine/auth/tokens.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { isDisabled } from '../../engine/records/disabled-user.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { JobKind } from '../../platform/jobs/job-queue.ts'
import { readLanguage } from '../../portable/languages.ts'
import { loadMailLook } from '../base/account-look.ts'

/** Name of the jobs that mail about unanswered messages. The key is the account's id: one job per account. */
const REPLY_MAIL = 'reply_mail'
/** Minimum time between two mails to a user. */
const PAUSE = sql`interval '5 minutes'`
/** Messages that have waited longer than the user's setting plus this time are in no mail. */
const MAX_AGE = sql`interval '1 day'`
/** Maximum users for whom a mail is queued at the same time. The rest follow a minute later. */
const MAX_USERS = 1_000
/** Maximum conversations that a mail lists. The rest are counted. */
const MAX_LISTED = 20

/** Whether to mail about conversation `c`, by the settings `s` of its user. */
const IS_DUE = sql<boolean>`(c."user" = s."user" and c.unanswered and not c.archived and c.follow_up_at = ''
  and c.last_at <= pb_text(now() - s.reply_mail_minutes * interval '1 minute')
  and c.last_at > pb_text(now() - s.reply_mail_minutes * interval '1 minute' - ${MAX_AGE})
  and c.last_at > coalesce((select m.told_until from reply_mails m where m."user" = s."user"), ''))`

/** Settings `s` and records `u` of the users who get such mails. */
const selectRecipients = (db: Db) =>
  queries(db)
    .selectFrom('user_settings as s')
    .innerJoin('users as u', 'u.id', 's.user')
    .where('u.verified', '=', true)
    .where('u.email', '<>', '')
    .where('s.reply_mail_minutes', '>', 0)
    .where(({ not }) => not(isDisabled('s.user')))

/** Adds jobs for users with due mails. A job that failed too often is started again. */
const addMailJobs = (db: Db) =>
  queries(db)
    .insertInto('_jobs')
    .columns(['kind', 'holder', 'key'])
    .expression(
      selectRecipients(db)
        .select([sql.lit(REPLY_MAIL).as('kind'), 's.user as holder', 's.user as key'])
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('reply_mails as m')
                .whereRef('m.user', '=', 's.user')
                .where('m.next_at', '>', sql<Date>`now()`),
            ),
          ),
        )
        .where(({ exists, selectFrom }) => exists(selectFrom('conversations as c').where(IS_DUE)))
        .orderBy('s.user')
        .limit(sql.lit(MAX_USERS)),
    )
    .onConflict((found) =>
      found
        .columns(['kind', 'key'])
        .doUpdateSet({ due_at: sql<Date>`now()`, attempts: 0, dead_at: null })
        .where('_jobs.dead_at', 'is not', null),
    )
    .execute()

/**
 * Address, language, time zone, country, and `until`: newer messages are not mailed yet. No row if the user
 * gets no mails.
 */
const findRecipient = (db: Db, user: string) =>
  selectRecipients(db)
    .select(['u.email as to', 'u.language', 's.time_zone as timeZone', 's.country'])
    .select(sql<string>`pb_text(now() - s.reply_mail_minutes * interval '1 minute')`.as('until'))
    .where('s.user', '=', user)
    .executeTakeFirst()

/**
 * The user's conversations to mail about, and how many there are. `since`: when its last message was
 * received.
 */
const readWaiting = (db: Db, user: string, until: string) =>
  queries(db)
    .selectFrom('conversations as c')
    .innerJoin('user_settings as s', 's.user', 'c.user')
    .select(['c.number', 'c.name', 'c.last_at as since', sql<number>`count(*) over ()`.as('total')])
    .where('c.user', '=', user)
    .where('c.last_at', '<=', until)
    .where(IS_DUE)
    .orderBy('c.last_at', 'desc')
    .limit(sql.lit(MAX_LISTED))
    .execute()

const setMailedUntil = (db: Db, user: string, until: string) =>
  queries(db)
    .insertInto('reply_mails')
    .values({ user, told_until: until, next_at: sql<Date>`now() + ${PAUSE}` })
    .onConflict((found) =>
      found.column('user').doUpdateSet(({ ref }) => ({
        told_until: ref('excluded.told_until'),
        next_at: ref('excluded.next_at'),
      })),
    )
    .execute()

/** Adds a job for each user whose messages wait longer than set. Does nothing without a mail server. */
export async function addReplyMails(db: Db, { settings }: MailServices): Promise<void> {
  if (settings.current.smtp.enabled) await addMailJobs(db)
}

/**
 * Jobs that mail a user about unanswered conversations. Each is mailed once until a new message is received.
 */
export const makeReplyMailJobs = (
  storeOf: (user: string) => Store,
  post: MailServices,
): JobKind => ({
  name: REPLY_MAIL,
  places: 4,
  placesOfHolder: 1,
  timeoutSeconds: 600,
  maxAttempts: 20,
  async run({ holder: user }) {
    const { db } = storeOf(user)
    const recipient = await findRecipient(db, user)
    if (!recipient) return
    await sendReplyMail(db, post, { user, ...recipient })
    await setMailedUntil(db, user, recipient.until)
  },
})

type Recipient = Readonly<
  Record<'user' | 'to' | 'language' | 'timeZone' | 'country' | 'until', string>
>

async function sendReplyMail(db: Db, post: MailServices, recipient: Recipient) {
  const { user, to, timeZone, country, until } = recipient
  const language = readLanguage(recipient.language)
  const found = await readWaiting(db, user, until)
  const waiting = found.map(({ number, name, since }) => ({ number, name, since }))
  const total = found[0]?.total ?? 0
  if (total === 0) return // answered meanwhile
  const sender = readMailSender(post)
  const messageId = makeMessageId(post, hashSha256(JSON.stringify([user, waiting])).slice(0, 32))
  const { renderReplyMail } = await import('./render-reply-mail.ts')
  await sendMail(post, {
    to,
    messageId,
    ...renderReplyMail(waiting, total, { timeZone, country }, sender, {
      ...(await loadMailLook(db, user, sender)),
      language,
    }),
  })
}
