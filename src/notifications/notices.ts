import type { Db } from '../db/open.ts'
import { isDisabledSql } from '../records/auth/disabled.ts'
import type { PushMessage } from '../sms/devices/web-push.ts'

/** A conversation with unread texts. */
interface Unread {
  readonly conversation: string
  readonly number: string
  readonly name: string
  /** The start of the last text. '' when it was deleted. */
  readonly text: string
  readonly unread: number
}

/** Content of a push: one conversation, or the number of them. The console's service worker reads it. */
export type Notice = Unread | { readonly conversations: number }

const MAX_TEXT = 120
/** More conversations at once become one notification. */
const MAX_AT_ONCE = 3
/** Older notifications are dropped. The console shows the unread count. */
const TTL_SECONDS = 86_400

const READ = `
select c.id, c.number, c.name, left(c.last_text, ${MAX_TEXT}), c.unread
from conversations c
where c.id = any($1) and c."user" = $2 and c.unread > 0 and not c.archived and not ${isDisabledSql('c."user"')}
order by c.last_at, c.id`

/** Notices of a user's conversations, without those that were read. None for a disabled user. */
export async function noticesOf(db: Db, user: string, conversations: readonly string[]): Promise<Notice[]> {
  const { rows } = await db.query(READ, [conversations, user], 'push notices')
  if (rows.length > MAX_AT_ONCE) return [{ conversations: rows.length }]
  return rows.map(([conversation, number, name, text, unread]) => ({
    conversation: String(conversation),
    number: String(number),
    name: String(name),
    text: String(text),
    unread: Number(unread),
  }))
}

/** A newer message of the same conversation replaces it at the push service. */
export const messageOf = (notice: Notice): PushMessage => ({
  text: JSON.stringify(notice),
  topic: 'conversation' in notice ? notice.conversation : 'conversations',
  ttlSeconds: TTL_SECONDS,
})
