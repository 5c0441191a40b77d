import { z } from 'zod'
import { sha256 } from '../auth/tokens/secrets.ts'
import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { objectsOf } from '../db/rows.ts'
import { INSTANT } from '../fields/values/instant.ts'
import type { Logger } from '../log.ts'
import { isDisabledSql } from '../records/auth/disabled.ts'
import { PUSH } from '../sms/conversations/heard.ts'
import {
  checkEndpoint,
  isGone,
  type PushMessage,
  type PushSettings,
  type Subscription,
  sendPush,
  vapidKeys,
} from '../sms/devices/web-push.ts'
import { gatewayRefusal } from '../sms/send/refusal.ts'
import type { Job, JobKind } from '../work/queue.ts'

/** Browsers of one user. A further one takes the place of the oldest. */
const MAX_OF_USER = 20
const MAX_AGENT_LENGTH = 300

/** A browser that shows notifications, as its user sees it. */
export const PUSH_BROWSER = z
  .object({
    endpoint: z.string().meta({ description: 'The address at its push service.' }),
    user_agent: z.string().meta({ description: 'The browser, as it named itself.' }),
    created: INSTANT,
  })
  .meta({ id: 'PushBrowser' })

/** A browser keeps its endpoint and keys when another user signs in there: they take it over. */
const SAVE = `
with oldest as (
  delete from push_subscriptions where id in (
    select id from push_subscriptions where "user" = $2 and id <> $1
    order by created desc, id offset ${MAX_OF_USER - 1})
)
insert into push_subscriptions (id, "user", endpoint, keys, user_agent) values ($1, $2, $3, $4, $5)
on conflict (id) do update set "user" = excluded."user", keys = excluded.keys, user_agent = excluded.user_agent,
  failures = 0
where push_subscriptions."user" = excluded."user" or push_subscriptions.keys::text = excluded.keys::text
returning id`

/**
 * Keeps a user's browser. Throws 400 for an endpoint that pushes could not be sent to, and for one that
 * another user has with other keys: it is another browser.
 */
export async function saveBrowser(
  db: Db,
  user: string,
  subscription: Subscription,
  userAgent: string,
  settings: PushSettings,
): Promise<void> {
  checkEndpoint(subscription, settings)
  const { endpoint, keys } = subscription
  const stored = JSON.stringify({ p256dh: keys.p256dh, auth: keys.auth })
  const values = [sha256(endpoint), user, endpoint, stored, userAgent.slice(0, MAX_AGENT_LENGTH)]
  const { rows } = await db.query(SAVE, values)
  if (rows.length === 0) throw gatewayRefusal('invalid_request', 'endpoint belongs to another account')
}

/** The browsers of a user, the newest first. */
export async function listBrowsers(db: Db, user: string): Promise<z.output<typeof PUSH_BROWSER>[]> {
  const sql = `select endpoint, user_agent, pb_text(created) as created from push_subscriptions
    where "user" = $1 order by push_subscriptions.created desc, id`
  return objectsOf(await db.query(sql, [user]))
}

/** Ends one browser of a user, or all. One that is not there is no error. */
export async function endBrowsers(db: Db, user: string, endpoint?: string): Promise<void> {
  const only = endpoint === undefined ? null : sha256(endpoint)
  await db.query('delete from push_subscriptions where "user" = $1 and ($2::text is null or id = $2)', [
    user,
    only,
  ])
}

interface PushTarget {
  readonly id: string
  readonly subscription: Subscription
  readonly failures: number
}

async function targetsOf(db: Db, user: string): Promise<PushTarget[]> {
  const sql = `select id, json_build_object('endpoint', endpoint, 'keys', keys)::text as subscription, failures
    from push_subscriptions where "user" = $1`
  const found = objectsOf<PushTarget & { subscription: string }>(await db.query(sql, [user]))
  return found.map((target) => ({ ...target, subscription: JSON.parse(target.subscription) }))
}

/** Ends a subscription that its push service no longer knows. A renewed one, with other keys, stays. */
async function endTarget(db: Db, { id, subscription }: PushTarget): Promise<void> {
  const { p256dh } = subscription.keys
  await db.query(`delete from push_subscriptions where id = $1 and keys ->> 'p256dh' = $2`, [id, p256dh])
}

/** After that many calls in a row that failed a subscription is deleted. */
const MAX_FAILURES = 100

async function noteFailure(db: Db, { id }: PushTarget): Promise<void> {
  await db.query('update push_subscriptions set failures = failures + 1 where id = $1', [id])
  await db.query('delete from push_subscriptions where id = $1 and failures >= $2', [id, MAX_FAILURES])
}

async function noteSuccess(db: Db, { id, failures }: PushTarget): Promise<void> {
  if (failures > 0) await db.query('update push_subscriptions set failures = 0 where id = $1', [id])
}

interface Unread {
  readonly conversation: string
  readonly number: string
  readonly name: string
  /** The start of the last text. '' when it was deleted. */
  readonly text: string
  readonly unread: number
}

/** Content of a push: one conversation, or the number of them. The console's service worker reads it. */
type Notice = Unread | { readonly conversations: number }

const MAX_TEXT = 120
/** More conversations at once become one notification. */
const MAX_AT_ONCE = 3
/** Older notifications are dropped. The console shows the unread count. */
const TTL_SECONDS = 86_400

const READ = `
select c.id as conversation, c.number, c.name, left(c.last_text, ${MAX_TEXT}) as text, c.unread
from conversations c
where c.id = any($1) and c."user" = $2 and c.unread > 0 and not c.archived and not ${isDisabledSql('c."user"')}
order by c.last_at, c.id`

/** Notices of a user's conversations, without those that were read. None for a disabled user. */
async function noticesOf(db: Db, user: string, conversations: readonly string[]): Promise<Notice[]> {
  const unread = objectsOf<Unread>(await db.query(READ, [conversations, user], 'push notices'))
  return unread.length > MAX_AT_ONCE ? [{ conversations: unread.length }] : unread
}

/** A newer message of the same conversation replaces it at the push service. */
const messageOf = (notice: Notice): PushMessage => ({
  text: JSON.stringify(notice),
  topic: 'conversation' in notice ? notice.conversation : 'conversations',
  ttlSeconds: TTL_SECONDS,
})

/** Pushes of an account in an hour, to all its browsers at once. */
const MAX_AN_HOUR = 60

/** Returns the conversations to push. New texts wait in another job, which starts after a pause. */
const BEGIN = `
with pause as (
  insert into push_hours ("user", pushes, ends, next_at)
  values ($2, 0, now() + interval '1 hour', now() + interval '10 seconds')
  on conflict ("user") do update set next_at = excluded.next_at
)
update _jobs set key = 'run:' || id where id = $1 returning payload::text`

const COUNT = `
update push_hours set pushes = case when ends <= now() then 1 else pushes + 1 end,
  ends = case when ends <= now() then now() + interval '1 hour' else ends end
where "user" = $1 and (ends <= now() or pushes < ${MAX_AN_HOUR})`

/**
 * The jobs that push new texts to browsers: one for all waiting conversations of a user. Each push is sent
 * once, even if its push service refuses it.
 */
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
  const { rows } = await db.query(BEGIN, [id, user], 'push begin')
  const conversations: string[] = JSON.parse(String(rows[0]?.[0] ?? '[]'))
  const keys = await vapidKeys(store)
  for (const notice of await noticesOf(db, user, conversations)) {
    const { count } = await db.query(COUNT, [user], 'push count')
    if (count === 0) return
    const call = async (target: Awaited<ReturnType<typeof targetsOf>>[number]) => {
      const status = await sendPush(target.subscription, messageOf(notice), keys, settings, signal).catch(
        (err) => log.debug({ err, subscription: target.id }, 'a notification could not be pushed'),
      )
      if (signal.aborted) return
      if (status && isGone(status)) await endTarget(db, target)
      else if (!status || status >= 300) await noteFailure(db, target)
      else await noteSuccess(db, target)
    }
    await Promise.all((await targetsOf(db, user)).map(call))
  }
}

/** Deletes rows that limit nothing any more. */
export const cleanUpPushes = async (db: Db): Promise<void> =>
  void (await db.query('delete from push_hours where ends <= now()'))
