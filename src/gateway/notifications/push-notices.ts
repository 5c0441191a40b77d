import { sql } from 'kysely'
import { isDisabled } from '../../engine/records/disabled-user.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { cutToCharacters } from '../../portable/cut-text.ts'
import type { PushMessage } from '../lines/web-push.ts'
import type { PushTarget } from './push-targets.ts'

/** The content of a push to the console's service worker: one conversation, or how many there are. */
export type Notice = (
  | (Omit<News, 'assignee' | 'person' | 'failed' | 'failure'> & { readonly failure?: string })
  | { readonly conversations: number }
) & { readonly silent?: true }

const MAX_TEXT = 120
/** More conversations at once than this become one notification. */
const MAX_AT_ONCE = 3
/** Push services drop what they cannot deliver in this time. The console shows the unread count anyway. */
const TTL_SECONDS = 86_400

/**
 * News of a job's conversations: unread texts, the last note that mentions a person, or a text that failed.
 * `asked`: a payload, see `pushJobs`. `text`: the start of the last text or note, or of the text that failed;
 * '' if it was deleted, and a little longer than notices show. `person`: whom the note mentions or who wrote
 * the text that failed; '' for all. `failure`: what happened to the text; '' for other news.
 */
export const loadPushNews = (db: Db, user: string, asked: readonly string[]) =>
  executeStatement(
    db,
    sql<News>`with asked as (
      select split_part(a.one, '@', 1) as id, split_part(a.one, '@', 2) as person, split_part(a.one, '@', 3) as failed
      from unnest(${asked}::text[]) a(one)
    )
    select c.id as conversation, c.number, c.name, c.unread, c.assignee, a.person, a.failed,
      left(case when a.failed <> '' then coalesce(m.body, '') when a.person = '' then c.last_text
        else coalesce(w.name || ': ', '') || n.text end, ${sql.lit(MAX_TEXT + 2)}) as text,
      case a.failed when '' then '' else c.failure end as failure
    from asked a join conversations c on c.id = a.id
    left join lateral (
      select author, text from conversation_notes
      where conversation = c.id and a.failed = '' and a.person = any(mentions) order by created desc limit 1
    ) n on true
    left join senders w on w.id = n.author
    left join sms_messages m on m.id = a.failed
    where c."user" = ${user} and not ${isDisabled('c.user')} and case
      when a.failed <> '' then c.failure <> ''
      when a.person = '' then c.unread > 0 and not c.archived and not c.blocked
      else n.text is not null end
    order by c.last_at, c.id`,
  )

type Name =
  | 'conversation'
  | 'number'
  | 'name'
  | 'assignee'
  | 'person'
  | 'failed'
  | 'text'
  | 'failure'
type News = Readonly<Record<Name, string>> & { readonly unread: number }

const isForTarget = ({ assignee, person }: News, target: PushTarget) =>
  person === ''
    ? target.notify === 'all' ||
      (target.notify === 'mine' && ['', target.person].includes(assignee))
    : person === target.person

export function makeNotices(news: readonly News[], target: PushTarget): Notice[] {
  const own = news.filter((one) => isForTarget(one, target))
  const sound = target.isSilent && ({ silent: true } as const)
  if (own.length > MAX_AT_ONCE) return [{ conversations: own.length, ...sound }]
  return own.map(({ assignee: _, person: __, failed: ___, failure, text, ...notice }) => ({
    ...notice,
    text: cutToCharacters(text, MAX_TEXT),
    ...(failure !== '' && { failure }),
    ...sound,
  }))
}

/** A newer push for the same conversation replaces this one at the push service. */
export const makePushMessage = (notice: Notice): PushMessage => ({
  text: JSON.stringify(notice),
  topic: 'conversation' in notice ? notice.conversation : 'conversations',
  ttlSeconds: TTL_SECONDS,
})
