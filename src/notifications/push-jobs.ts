import { sql } from 'kysely'
import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { inSeconds, queries } from '../db/queries.ts'
import type { Logger } from '../log.ts'
import { isDisabled } from '../records/record-sql.ts'
import { PUSH } from '../sms/conversations/inbox.ts'
import {
  isGone,
  type PushMessage,
  type PushSettings,
  type Subscription,
  sendPush,
  vapidKeys,
} from '../sms/devices/web-push.ts'
import type { Job, JobKind } from '../work/jobs.ts'

/** A job pushes to this many browsers at most, to the newest ones. */
const MAX_TARGETS = 200

/**
 * The browsers to push to, without those of deleted members. `person`: the sender id of the browser's user,
 * which is the account's id for its owner. `notify`: the messages that the person hears of; `mine` are those
 * in conversations assigned to the person or to nobody.
 */
async function targetsOf(db: Db, user: string) {
  const targets = await queries(db)
    .selectFrom('push_subscriptions as s')
    .leftJoin('members as m', 'm.id', 's.sender')
    .leftJoin('user_settings as u', 'u.user', 's.user')
    .select([
      's.id',
      's.failures',
      sql<string>`json_build_object('endpoint', s.endpoint, 'keys', s.keys)::text`.as('subscription'),
      sql<string>`coalesce(nullif(s.sender, ''), s."user")`.as('person'),
      sql<
        'all' | 'mine' | 'none'
      >`coalesce(nullif(case s.sender when '' then u.notify else m.notify end, ''), 'all')`.as('notify'),
    ])
    .where('s.user', '=', user)
    .where(({ or, eb }) => or([eb('s.sender', '=', ''), eb('m.id', 'is not', null)]))
    .orderBy('s.created', 'desc')
    .orderBy('s.id')
    .limit(sql.lit(MAX_TARGETS))
    .execute()
  return targets.map((target) => ({
    ...target,
    subscription: JSON.parse(target.subscription) as Subscription,
  }))
}
type PushTarget = Awaited<ReturnType<typeof targetsOf>>[number]

/** After this many failed calls in a row a subscription is deleted. */
const MAX_FAILURES = 100

/** Notes the status of a push service's answer. No answer counts as a failure. */
async function noteAnswer(db: Db, { id, subscription, failures }: PushTarget, status = 500) {
  const subscriptions = queries(db)
  if (isGone(status)) {
    // keep a subscription that was renewed with other keys meanwhile
    await subscriptions
      .deleteFrom('push_subscriptions')
      .where('id', '=', id)
      .where(sql`keys ->> 'p256dh'`, '=', subscription.keys.p256dh)
      .execute()
  } else if (status >= 300) {
    await subscriptions
      .updateTable('push_subscriptions')
      .set((eb) => ({ failures: eb('failures', '+', 1) }))
      .where('id', '=', id)
      .execute()
    await subscriptions
      .deleteFrom('push_subscriptions')
      .where('id', '=', id)
      .where('failures', '>=', MAX_FAILURES)
      .execute()
  } else if (failures > 0) {
    await subscriptions.updateTable('push_subscriptions').set({ failures: 0 }).where('id', '=', id).execute()
  }
}

/** What a push tells the console's service worker: one conversation, or how many there are. */
type Notice = Omit<News, 'assignee' | 'mentioned'> | { readonly conversations: number }

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
const readNews = (db: Db, user: string, asked: readonly string[]) =>
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
async function begin(db: Db, { id, holder: user }: Job): Promise<string[]> {
  const begun = await queries(db)
    .with('pause', (query) =>
      query
        .insertInto('push_hours')
        .values({ user, pushes: 0, ends: inSeconds(3_600), next_at: inSeconds(10) })
        .onConflict((found) =>
          found.column('user').doUpdateSet(({ ref }) => ({ next_at: ref('excluded.next_at') })),
        ),
    )
    .updateTable('_jobs')
    .set({ key: sql<string>`'run:' || id` })
    .where('id', '=', id)
    .returning('payload')
    .executeTakeFirst()
  return JSON.parse(begun?.payload ?? '[]')
}

/** Counts a notification to a person. False if the person had MAX_AN_HOUR in the current hour. */
async function count(db: Db, person: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows: counted = 0n } = await queries(db)
    .insertInto('push_hours')
    .values({ user: person, pushes: 1, ends: inSeconds(3_600) })
    .onConflict((found) =>
      found
        .column('user')
        .doUpdateSet({
          pushes: sql<number>`case when push_hours.ends <= now() then 1 else push_hours.pushes + 1 end`,
          ends: sql<Date>`case when push_hours.ends <= now() then excluded.ends else push_hours.ends end`,
        })
        .where(sql<boolean>`push_hours.ends <= now() or push_hours.pushes < ${sql.lit(MAX_AN_HOUR)}`),
    )
    .executeTakeFirst()
  return counted > 0n
}

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
  job: Job,
  signal: AbortSignal,
): Promise<undefined> {
  const { db } = store
  const news = await readNews(db, job.holder, await begin(db, job))
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
      if (!(await count(db, person))) return
      await Promise.all(targets.map((target) => call(target, notice)))
    }
  }
  const byPerson = Map.groupBy(await targetsOf(db, job.holder), ({ person }) => person)
  await Promise.all([...byPerson].map(tell))
}

/** Deletes the counts of hours that are over. */
export const cleanUpPushes = (db: Db) =>
  queries(db).deleteFrom('push_hours').where('ends', '<=', sql<Date>`now()`).execute()
