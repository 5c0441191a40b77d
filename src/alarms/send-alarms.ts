import type { AuthServices } from '../auth/auth-services.ts'
import { sendMail } from '../auth/mail/mailer.ts'
import { namesOf } from '../auth/mail/mails.ts'
import type { Db } from '../db/open.ts'
import { type AlarmNews, alarmMail } from './mail.ts'

/** Longer than a mail server may take: a mail whose node died is sent by another one then. */
const LEASE = `interval '10 minutes'`
/** After that long nobody wants to know any more. */
const MAX_AGE = `interval '1 day'`
/** Sent ones are kept for the pace of an account. */
const KEEP_SENT = `interval '1 hour'`
/** Minutes until the next try of a mail that was not taken; the last of them again and again. */
const RETRY_MINUTES = [1, 5, 15, 60] as const
/** A mail server that took none of so many is asked again at the next run. */
const MAX_FAILURES = 3

/** What sending needs beside the database. */
export type AlarmMailServices = Pick<AuthServices, 'settings' | 'log' | 'config'>

interface Letter {
  readonly id: unknown
  readonly news: readonly AlarmNews[]
  readonly key: string
  readonly tries: number
  /** '' where nobody is left who may be told. */
  readonly to: string
}

const CLAIM = `
update device_alarm_mails m set tries = m.tries + 1, due_at = now() + ${LEASE}
where m.id = (
  select c.id from device_alarm_mails c
  where c.sent_at is null and c.due_at <= now() and not exists (
    select from device_alarm_mails b where b."user" = c."user" and b.sent_at is null and b.id < c.id)
  order by c.due_at, c.id limit 1 for update skip locked)
returning m.id, m.devices::text, m.key::text, m.tries,
  coalesce((select u.email from users u where u.id = m."user" and u.verified), '')`

const FORGET = `delete from device_alarm_mails
where sent_at <= now() - ${KEEP_SENT} or sent_at is null and created <= now() - ${MAX_AGE} and due_at <= now()`

/**
 * Sends the mails that are due, one after the other, each account's in their order. A mail that is not taken
 * is tried again for a day. Ends early when `stopping`, after the mail under way.
 */
export async function sendAlarms(db: Db, post: AlarmMailServices, stopping: AbortSignal): Promise<void> {
  const { rows } = await db.query(`${FORGET} returning sent_at is null`)
  const lost = rows.filter(([isLost]) => isLost).length
  if (lost > 0) post.log.error({ mails: lost }, 'mails about silent devices were given up')
  for (let failures = 0; failures < MAX_FAILURES && !stopping.aborted; ) {
    const letter = await claim(db)
    if (!letter) return
    if (!(await deliver(db, post, letter))) failures++
  }
}

async function claim(db: Db): Promise<Letter | undefined> {
  const { rows } = await db.query(CLAIM)
  if (!rows[0]) return undefined
  const [id, devices, key, tries, to] = rows[0]
  return { id, news: JSON.parse(String(devices)), key: String(key), tries: Number(tries), to: String(to) }
}

/** False when the mail server did not take it. */
async function deliver(db: Db, post: AlarmMailServices, letter: Letter): Promise<boolean> {
  try {
    if (letter.to !== '') await sendMail(post, { ...write(post, letter), to: letter.to })
  } catch (error) {
    post.log.error(
      { err: error, mail: letter.key },
      'a mail about silent devices was not sent, it is tried again',
    )
    const minutes = RETRY_MINUTES[letter.tries - 1] ?? RETRY_MINUTES.at(-1)
    await db.query(
      `update device_alarm_mails set due_at = now() + $2::float8 * interval '1 minute' where id = $1 and tries = $3`,
      [letter.id, minutes, letter.tries],
    )
    return false
  }
  await db.query('update device_alarm_mails set sent_at = now() where id = $1', [letter.id])
  return true
}

function write(post: AlarmMailServices, { news, key }: Letter) {
  const domain = post.settings.current.meta.senderAddress.split('@').at(-1)
  return { ...alarmMail(news, namesOf(post)), messageId: `<${key}@${domain}>` }
}
