import { sql } from 'kysely'
import { isDisabled } from '../../engine/records/disabled-user.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { PushMessage } from '../lines/web-push.ts'
import type { PushTarget } from './push-targets.ts'

/** What a push tells the console's service worker: one conversation, or how many there are. */
export type Notice =
  | (Omit<News, 'assignee' | 'person' | 'failed' | 'failure'> & { readonly failure?: string })
  | { readonly conversations: number }

const MAX_TEXT = 120
/** More conversations at once than this become one notification. */
const MAX_AT_ONCE = 3
/** Push services drop what they cannot deliver in this time. The console shows the unread count anyway. */
const TTL_SECONDS = 86_400

/**
 * News of a job's conversations: unread texts, the last note that mentions a person, or a text that failed.
 * `asked`: a payload, see `pushJobs`. `text`: the start of the last text or note, or of the text that failed;
 * '' if it was deleted. `person`: whom the note mentions or who wrote the text that failed; '' for all.
 * `failure`: what happened to the text; '' for other news.
 */
export const readNews = (db: Db, user: string, asked: readonly string[]) =>
  queries(db)
    .with('asked', (query) =>
      query
        .selectFrom(sql<{ one: string }>`unnest(${asked}::text[])`.as<'a'>(sql`a(one)`))
        .select(sql<string>`split_part(a.one, '@', 1)`.as('id'))
        .select(sql<string>`split_part(a.one, '@', 2)`.as('person'))
        .select(sql<string>`split_part(a.one, '@', 3)`.as('failed')),
    )
    .selectFrom('asked as a')
    .innerJoin('conversations as c', 'c.id', 'a.id')
    .leftJoinLateral(
      ({ selectFrom }) =>
        selectFrom('conversation_notes')
          .select(['author', 'text'])
          .whereRef('conversation', '=', 'c.id')
          .where(sql<boolean>`a.failed = '' and a.person = any(mentions)`)
          .orderBy('created', 'desc')
          .limit(sql.lit(1))
          .as('n'),
      (join) => join.onTrue(),
    )
    .leftJoin('senders as w', 'w.id', 'n.author')
    .leftJoin('sms_messages as m', 'm.id', 'a.failed')
    .select(['c.id as conversation', 'c.number', 'c.name', 'c.unread', 'c.assignee', 'a.person', 'a.failed'])
    .select([
      sql<string>`left(case when a.failed <> '' then coalesce(m.body, '') when a.person = '' then c.last_text
        else coalesce(w.name || ': ', '') || n.text end, ${sql.lit(MAX_TEXT)})`.as('text'),
      sql<string>`case a.failed when '' then '' else c.failure end`.as('failure'),
    ])
    .where('c.user', '=', user)
    .where(({ not }) => not(isDisabled('c.user')))
    .where(
      sql<boolean>`case when a.failed <> '' then c.failure <> ''
        when a.person = '' then c.unread > 0 and not c.archived and not c.blocked
        else n.text is not null end`,
    )
    .orderBy('c.last_at')
    .orderBy('c.id')
    .execute()
type News = Awaited<ReturnType<typeof readNews>>[number]

const isFor = ({ assignee, person }: News, target: PushTarget) =>
  person === ''
    ? target.notify === 'all' || (target.notify === 'mine' && ['', target.person].includes(assignee))
    : person === target.person

export function noticesOf(news: readonly News[], target: PushTarget): Notice[] {
  const own = news.filter((one) => isFor(one, target))
  if (own.length > MAX_AT_ONCE) return [{ conversations: own.length }]
  return own.map(({ assignee: _, person: __, failed: ___, failure, ...notice }) =>
    failure === '' ? notice : { ...notice, failure },
  )
}

/** A newer push for the same conversation replaces this one at the push service. */
export const messageOf = (notice: Notice): PushMessage => ({
  text: JSON.stringify(notice),
  topic: 'conversation' in notice ? notice.conversation : 'conversations',
  ttlSeconds: TTL_SECONDS,
})
