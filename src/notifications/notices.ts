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

/**
 * What a push says: one conversation, or how many have new texts. The console's service worker reads it.
 */
export type Notice = Unread | { readonly conversations: number }

const MAX_TEXT = 120
/** More conversations at once become one notification. */
const MAX_AT_ONCE = 3
/** Who was away for longer sees the unread count in the console. */
const TTL_SECONDS = 86_400

const READ = `
select c.id, c.number, c.name, left(c.last_text, ${MAX_TEXT}), c.unread
from conversations c
where c.id = any($1) and c."user" = $2 and c.unread > 0 and not c.archived and not ${isDisabledSql('c."user"')}
order by c.last_at, c.id`

/** Notices of conversations of a user. None for those that were read meanwhile or of a disabled user. */
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

/** The message of a notice. A newer one of the same conversation replaces it at the push service. */
export const messageOf = (notice: Notice): PushMessage => ({
  text: JSON.stringify(notice),
  topic: 'conversation' in notice ? notice.conversation : 'conversations',
  ttlSeconds: TTL_SECONDS,
})
