import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { queries } from '../db/queries.ts'
import { isDisabled } from '../records/disabled-user.ts'
import type { PushMessage } from '../sms/devices/web-push.ts'
import type { PushTarget } from './push-targets.ts'

/** What a push tells the console's service worker: one conversation, or how many there are. */
export type Notice = Omit<News, 'assignee' | 'mentioned'> | { readonly conversations: number }

const MAX_TEXT = 120
/** More conversations at once than this become one notification. */
const MAX_AT_ONCE = 3
/** Push services drop what they cannot deliver in this time. The console shows the unread count anyway. */
const TTL_SECONDS = 86_400

/**
 * News of a job's conversations: unread texts, or the last note that mentions a person. `asked`: a
 * conversation each, with `@` and the person's sender id for a note. `text`: the start of the last text or
 * note, '' if its text was deleted. `mentioned`: whom the note mentions, '' if the news is a text.
 */
export const readNews = (db: Db, user: string, asked: readonly string[]) =>
  queries(db)
    .with('asked', (query) =>
      query
        .selectFrom(sql<{ one: string }>`unnest(${asked}::text[])`.as<'a'>(sql`a(one)`))
        .select(sql<string>`split_part(a.one, '@', 1)`.as('id'))
        .select(sql<string>`split_part(a.one, '@', 2)`.as('mentioned')),
    )
    .selectFrom('asked as a')
    .innerJoin('conversations as c', 'c.id', 'a.id')
    .leftJoinLateral(
      ({ selectFrom }) =>
        selectFrom('conversation_notes')
          .select(['author', 'text'])
          .whereRef('conversation', '=', 'c.id')
          .where(sql<boolean>`a.mentioned = any(mentions)`)
          .orderBy('created', 'desc')
          .limit(sql.lit(1))
          .as('n'),
      (join) => join.onTrue(),
    )
    .leftJoin('senders as w', 'w.id', 'n.author')
    .select(['c.id as conversation', 'c.number', 'c.name', 'c.unread', 'c.assignee', 'a.mentioned'])
    .select(
      sql<string>`left(case a.mentioned when '' then c.last_text else coalesce(w.name || ': ', '') || n.text end,
        ${sql.lit(MAX_TEXT)})`.as('text'),
    )
    .where('c.user', '=', user)
    .where(({ not }) => not(isDisabled('c.user')))
    .where(
      sql<boolean>`case a.mentioned when '' then c.unread > 0 and not c.archived and not c.blocked
        else n.text is not null end`,
    )
    .orderBy('c.last_at')
    .orderBy('c.id')
    .execute()
type News = Awaited<ReturnType<typeof readNews>>[number]

const isFor = ({ assignee, mentioned }: News, { person, notify }: PushTarget) =>
  mentioned === ''
    ? notify === 'all' || (notify === 'mine' && ['', person].includes(assignee))
    : mentioned === person

export function noticesOf(news: readonly News[], target: PushTarget): Notice[] {
  const own = news.filter((one) => isFor(one, target))
  if (own.length > MAX_AT_ONCE) return [{ conversations: own.length }]
  return own.map(({ assignee: _, mentioned: __, ...notice }) => notice)
}

/** A newer push for the same conversation replaces this one at the push service. */
export const messageOf = (notice: Notice): PushMessage => ({
  text: JSON.stringify(notice),
  topic: 'conversation' in notice ? notice.conversation : 'conversations',
  ttlSeconds: TTL_SECONDS,
})
