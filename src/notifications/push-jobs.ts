import { z } from 'zod'
import { sha256 } from '../auth/tokens.ts'
import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { list, oneOf, type Row, run, runForCount, runForRow, statement, text } from '../db/statement.ts'
import { INSTANT } from '../fields/instant.ts'
import type { Logger } from '../log.ts'
import { isDisabledSql } from '../records/record-sql.ts'
import type { AuthRecord } from '../request/request.ts'
import { PUSH } from '../sms/conversations/inbox.ts'
import {
  checkEndpoint,
  isGone,
  type PushMessage,
  type PushSettings,
  type Subscription,
  sendPush,
  vapidKeys,
} from '../sms/devices/reach.ts'
import { invalid } from '../sms/send/shape.ts'
import type { Job, JobKind } from '../work/jobs.ts'

/** Maximum browsers of one person. A further one replaces the oldest. */
const MAX_OF_USER = 20
const MAX_AGENT_LENGTH = 300

export const PUSH_BROWSER = z
  .object({
    endpoint: z.string().describe('The address at its push service.'),
    user_agent: z.string().describe('The browser, as it named itself.'),
    created: INSTANT,
  })
  .meta({ id: 'PushBrowser' })

/** Stores a browser. If another user signs in there (same endpoint and keys), it becomes that user's. */
const SAVE = statement('push save', {})`
with oldest as (
  delete from push_subscriptions where id in (
    select id from push_subscriptions where "user" = ${text('user')} and sender = ${text('sender')} and id <> ${text('id')}
    order by created desc, id offset ${MAX_OF_USER - 1})
)
insert into push_subscriptions (id, "user", endpoint, keys, user_agent, sender)
values (${text('id')}, ${text('user')}, ${text('endpoint')}, ${text('keys')}, ${text('user_agent')}, ${text('sender')})
on conflict (id) do update set "user" = excluded."user", keys = excluded.keys, user_agent = excluded.user_agent,
  sender = excluded.sender, failures = 0
where push_subscriptions."user" = excluded."user" or push_subscriptions.keys::text = excluded.keys::text`

/** A person with browsers: the account's owner (`sender` ''), or a member who acts for the account. */
interface Person {
  readonly user: string
  readonly sender: string
}

export const personOf = ({ id, actor }: AuthRecord): Person => ({ user: id, sender: actor?.id ?? '' })

/** Stores a browser. Throws 400 if the endpoint is invalid, or another user has it with other keys. */
export async function saveBrowser(
  db: Db,
  person: Person,
  subscription: Subscription,
  userAgent: string,
  settings: PushSettings,
): Promise<void> {
  checkEndpoint(subscription, settings)
  const { endpoint } = subscription
  const keys = JSON.stringify(subscription.keys)
  const user_agent = userAgent.slice(0, MAX_AGENT_LENGTH)
  const saved = await runForCount(db, SAVE, { ...person, id: sha256(endpoint), endpoint, keys, user_agent })
  if (saved === 0) throw invalid('endpoint belongs to another account')
}

const LIST = statement('push browsers', PUSH_BROWSER)`
select endpoint, user_agent, pb_text(created) as created from push_subscriptions
where "user" = ${text('user')} and sender = ${text('sender')} order by push_subscriptions.created desc, id`

export const listBrowsers = (db: Db, person: Person) => run(db, LIST, person)

/** Deletes one browser of a person, or all. A missing one is no error. */
export async function endBrowsers(db: Db, { user, sender }: Person, endpoint?: string): Promise<void> {
  const only = endpoint === undefined ? null : sha256(endpoint)
  const sql =
    'delete from push_subscriptions where "user" = $1 and sender = $3 and ($2::text is null or id = $2)'
  await db.query(sql, [user, only, sender])
}

/** A job pushes to this many browsers at most, to the newest ones. */
const MAX_TARGETS = 200

/** The browsers to push to, without those of deleted members. */
const TARGETS = statement('push targets', {
  id: 'string',
  subscription: 'string',
  failures: 'number',
  /** Sender id of the browser's user. For the account's owner it is the account's id. */
  person: 'string',
  /** Which messages the person hears of. `mine`: in conversations assigned to the person or to nobody. */
  notify: oneOf<'all' | 'mine' | 'none'>(),
})`
select s.id, json_build_object('endpoint', s.endpoint, 'keys', s.keys)::text as subscription, s.failures,
  coalesce(nullif(s.sender, ''), s."user") as person, case s.sender
    when '' then coalesce((select nullif(u.notify, '') from user_settings u where u."user" = s."user"), 'all')
    else coalesce((select nullif(m.notify, '') from members m where m.id = s.sender), 'all') end as notify
from push_subscriptions s where s."user" = ${text('user')}
  and (s.sender = '' or exists (select from members m where m.id = s.sender)) order by s.created desc, s.id limit ${MAX_TARGETS}`
type PushTarget = Omit<Row<typeof TARGETS>, 'subscription'> & { readonly subscription: Subscription }

async function targetsOf(db: Db, user: string): Promise<PushTarget[]> {
  const targets = await run(db, TARGETS, { user })
  return targets.map((target) => ({ ...target, subscription: JSON.parse(target.subscription) }))
}

/** After this many failed calls in a row a subscription is deleted. */
const MAX_FAILURES = 100

/** Notes the status of a push service's answer. No answer counts as a failure. */
async function noteAnswer(db: Db, { id, subscription, failures }: PushTarget, status = 500) {
  if (isGone(status)) {
    // keep a subscription that was renewed with other keys meanwhile
    const { p256dh } = subscription.keys
    await db.query(`delete from push_subscriptions where id = $1 and keys ->> 'p256dh' = $2`, [id, p256dh])
  } else if (status >= 300) {
    await db.query('update push_subscriptions set failures = failures + 1 where id = $1', [id])
    await db.query('delete from push_subscriptions where id = $1 and failures >= $2', [id, MAX_FAILURES])
  } else if (failures > 0) {
    await db.query('update push_subscriptions set failures = 0 where id = $1', [id])
  }
}

/** What a push tells the console's service worker: one conversation, or how many there are. */
type Notice = Omit<News, 'assignee' | 'mentioned'> | { readonly conversations: number }

const MAX_TEXT = 120
/** More conversations at once than this become one notification. */
const MAX_AT_ONCE = 3
/** Push services drop what they cannot deliver in this time. The console shows the unread count anyway. */
const TTL_SECONDS = 86_400

/** News of a job's conversations: unread texts, or the last note that mentions a person. */
const READ = statement('push news', {
  ...{ conversation: 'string', number: 'string', name: 'string' },
  /** The start of the last text or note; '' if its text was deleted. */
  text: 'string',
  unread: 'number',
  assignee: 'string',
  /** Sender id of the person whom the note mentions; '' if the news is a text. */
  mentioned: 'string',
})`
with asked as (select split_part(a, '@', 1) as id, split_part(a, '@', 2) as mentioned from unnest(${list('asked')}::text[]) a)
select c.id as conversation, c.number, c.name, c.unread, c.assignee, a.mentioned, left(
  case a.mentioned when '' then c.last_text else coalesce(w.name || ': ', '') || n.text end, ${MAX_TEXT}) as text
from asked a join conversations c on c.id = a.id and c."user" = ${text('user')} and not ${isDisabledSql('c."user"')}
left join lateral (
  select n.author, n.text from conversation_notes n
  where n.conversation = c.id and a.mentioned = any(n.mentions) order by n.created desc limit 1
) n on true
left join senders w on w.id = n.author
where case a.mentioned when '' then c.unread > 0 and not c.archived and not c.blocked else n.text is not null end
order by c.last_at, c.id`
type News = Row<typeof READ>

const isFor = ({ assignee, mentioned }: News, { person, notify }: PushTarget) =>
  mentioned === ''
    ? notify === 'all' || (notify === 'mine' && ['', person].includes(assignee))
    : mentioned === person

function noticesOf(news: readonly News[], target: PushTarget): Notice[] {
  const own = news.filter((one) => isFor(one, target))
  if (own.length > MAX_AT_ONCE) return [{ conversations: own.length }]
  return own.map(({ assignee: _, mentioned: __, ...notice }) => notice)
}

/** A newer push for the same conversation replaces this one at the push service. */
const messageOf = (notice: Notice): PushMessage => ({
  text: JSON.stringify(notice),
  topic: 'conversation' in notice ? notice.conversation : 'conversations',
  ttlSeconds: TTL_SECONDS,
})

/** Maximum notifications to a person in an hour. Each goes to all browsers of the person. */
const MAX_AN_HOUR = 60

/** Begins a job: returns its conversations. Renames its key, so that later messages get another job. */
const BEGIN = statement('push begin', { payload: 'string?' })`
with pause as (
  insert into push_hours ("user", pushes, ends, next_at)
  values (${text('user')}, 0, now() + interval '1 hour', now() + interval '10 seconds')
  on conflict ("user") do update set next_at = excluded.next_at
)
update _jobs set key = 'run:' || id where id = ${text('id')} returning payload::text`

const COUNT = `
insert into push_hours as h ("user", pushes, ends) values ($1, 1, now() + interval '1 hour')
on conflict ("user") do update set pushes = case when h.ends <= now() then 1 else h.pushes + 1 end,
  ends = case when h.ends <= now() then excluded.ends else h.ends end
where h.ends <= now() or h.pushes < ${MAX_AN_HOUR}`

/** Jobs that push a user's new messages to browsers. A failed push is not repeated. */
export const pushJobs = (storeOf: (user: string) => Store, settings: PushSettings, log: Logger): JobKind => ({
  name: PUSH,
  places: 16,
  placesOfHolder: 1,
  timeoutSeconds: 60,
  maxAttempts: 8,
  run: (job, signal) => push(storeOf(job.holder), settings, log, job, signal),
})

async function push(
  store: Store,
  settings: PushSettings,
  log: Logger,
  { id, holder: user }: Job,
  signal: AbortSignal,
): Promise<undefined> {
  const { db } = store
  const begun = await runForRow(db, BEGIN, { id, user })
  const news = await run(db, READ, { asked: JSON.parse(begun?.payload ?? '[]'), user })
  if (news.length === 0) return
  const keys = await vapidKeys(store)
  const call = async (target: PushTarget, notice: Notice) => {
    const status = await sendPush(target.subscription, messageOf(notice), keys, settings, signal).catch(
      (err) => void log.debug({ err, subscription: target.id }, 'could not push a notification'),
    )
    if (!signal.aborted) await noteAnswer(db, target, status)
  }
  const tell = async ([person, targets]: [string, PushTarget[]]) => {
    for (const notice of noticesOf(news, targets[0]!)) {
      const { count } = await db.query(COUNT, [person], 'push count')
      if (count === 0) return
      await Promise.all(targets.map((target) => call(target, notice)))
    }
  }
  const byPerson = Map.groupBy(await targetsOf(db, user), ({ person }) => person)
  await Promise.all([...byPerson].map(tell))
}

/** Deletes the counts of hours that are over. */
export const cleanUpPushes = (db: Db) => db.query('delete from push_hours where ends <= now()')
