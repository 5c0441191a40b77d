import type { AuthServices } from '../auth/auth-services.ts'
import { sendMail } from '../auth/mail/mailer.ts'
import { namesOf } from '../auth/mail/mails.ts'
import { sha256 } from '../auth/tokens/secrets.ts'
import type { Db } from '../db/open.ts'
import { isDisabledSql } from '../records/auth/disabled.ts'
import { replyMail, type WaitingConversation } from './reply-mail.ts'

/** Longer than a mail server may take: a mail whose node died is sent by another one then. */
const LEASE = `interval '10 minutes'`
/** Between two mails to a user, and two tries of one. */
const PAUSE = `interval '5 minutes'`
/** A text that has waited for a day longer than the user set is in no mail: it is old news. */
const MAX_AGE = `interval '1 day'`
/** A mail server that took none of so many is asked again at the next run. */
const MAX_FAILURES = 3
/** Conversations that a mail lists; of the rest it says how many they are. */
const MAX_LISTED = 20

/** What sending needs beside the database. */
export type ReplyMailServices = Pick<AuthServices, 'settings' | 'log' | 'config'>

/** SQL: the conversations `c` of the user with the settings `s` that are to be mailed about. */
const IS_DUE = `c."user" = s."user" and c.unanswered and not c.archived
  and c.last_at <= pb_text(now() - s.reply_mail_minutes * interval '1 minute')
  and c.last_at > pb_text(now() - s.reply_mail_minutes * interval '1 minute' - ${MAX_AGE})
  and c.last_at > coalesce((select m.told_until from reply_mails m where m."user" = s."user"), '')`

/** One of two nodes that find the same user updates no row. */
const CLAIM = `
with due as (
  select s."user", u.email, s.time_zone,
    pb_text(now() - s.reply_mail_minutes * interval '1 minute') as until
  from user_settings s join users u on u.id = s."user" and u.verified and u.email <> ''
  where s.reply_mail_minutes > 0 and not ${isDisabledSql('s."user"')}
    and not exists (select from reply_mails m where m."user" = s."user" and m.next_at > now())
    and exists (select from conversations c where ${IS_DUE})
  order by s."user" limit 1
), claimed as (
  insert into reply_mails as m ("user", told_until, next_at) select "user", '', now() + ${LEASE} from due
  on conflict ("user") do update set next_at = excluded.next_at where m.next_at <= now()
  returning m."user"
)
select d."user", d.email, d.time_zone, d.until from due d join claimed using ("user")`

const READ = `
select c.number, c.name, c.last_at, count(*) over ()
from conversations c join user_settings s on s."user" = c."user"
where c."user" = $1 and c.last_at <= $2 and ${IS_DUE}
order by c.last_at desc limit ${MAX_LISTED}`

const END = `update reply_mails set told_until = case when $2 = '' then told_until else $2 end, next_at = now() + ${PAUSE}
where "user" = $1`

/**
 * Mails users who want it about texts that nobody has answered for as long as they set: one mail for all
 * conversations, each once for its last text. Nothing without a mail server. A mail that is not taken is
 * tried again. Ends early when `stopping`, after the mail under way.
 */
export async function sendReplyMails(db: Db, post: ReplyMailServices, stopping: AbortSignal): Promise<void> {
  if (!post.settings.current.smtp.enabled) return
  for (let failures = 0; failures < MAX_FAILURES && !stopping.aborted; ) {
    const [row] = (await db.query(CLAIM, [], 'reply mail claim')).rows
    if (!row) return
    const [user, to, timeZone, until] = row.map(String) as [string, string, string, string]
    const isSent = await mail(db, post, { user, to, timeZone, until })
    await db.query(END, [user, isSent ? until : ''], 'reply mail end')
    if (!isSent) failures++
  }
}

interface Recipient {
  readonly user: string
  readonly to: string
  readonly timeZone: string
  readonly until: string
}

/** False when the mail server did not take it. */
async function mail(
  db: Db,
  post: ReplyMailServices,
  { user, to, timeZone, until }: Recipient,
): Promise<boolean> {
  const { rows } = await db.query(READ, [user, until], 'reply mail read')
  if (rows.length === 0) return true // answered meanwhile
  const waiting = rows.map(
    ([number, name, since]): WaitingConversation => ({
      number: String(number),
      name: String(name),
      since: String(since),
    }),
  )
  const total = Number(rows[0]![3])
  const domain = post.settings.current.meta.senderAddress.split('@').at(-1)
  const messageId = `<${sha256(JSON.stringify([user, waiting])).slice(0, 32)}@${domain}>`
  try {
    await sendMail(post, { to, messageId, ...replyMail(waiting, total, timeZone, namesOf(post)) })
    return true
  } catch (error) {
    post.log.error({ err: error, user }, 'a mail about unanswered texts was not sent, it is tried again')
    return false
  }
}
