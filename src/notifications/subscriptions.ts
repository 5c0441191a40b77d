import { z } from 'zod'
import { sha256 } from '../auth/tokens/secrets.ts'
import type { Db } from '../db/open.ts'
import { objectsOf } from '../db/rows.ts'
import { INSTANT } from '../fields/values/instant.ts'
import { checkEndpoint, type PushSettings, type Subscription } from '../sms/devices/web-push.ts'
import { gatewayRefusal } from '../sms/send/refusal.ts'

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

/** A browser, and what a push to it needs. */
export interface PushTarget {
  readonly id: string
  readonly subscription: Subscription
  readonly failures: number
}

/** Where pushes of a user go. */
export async function targetsOf(db: Db, user: string): Promise<PushTarget[]> {
  const sql = `select id, json_build_object('endpoint', endpoint, 'keys', keys)::text as subscription, failures
    from push_subscriptions where "user" = $1`
  const found = objectsOf<PushTarget & { subscription: string }>(await db.query(sql, [user]))
  return found.map((target) => ({ ...target, subscription: JSON.parse(target.subscription) }))
}

/** Ends a subscription that its push service no longer knows. A renewed one, with other keys, stays. */
export async function endTarget(db: Db, { id, subscription }: PushTarget): Promise<void> {
  const { p256dh } = subscription.keys
  await db.query(`delete from push_subscriptions where id = $1 and keys ->> 'p256dh' = $2`, [id, p256dh])
}

/** After that many calls in a row that failed a subscription is deleted. */
const MAX_FAILURES = 100

/** Counts a call that failed. */
export async function noteFailure(db: Db, { id }: PushTarget): Promise<void> {
  await db.query('update push_subscriptions set failures = failures + 1 where id = $1', [id])
  await db.query('delete from push_subscriptions where id = $1 and failures >= $2', [id, MAX_FAILURES])
}

/** Notes that a call succeeded. */
export async function noteSuccess(db: Db, { id, failures }: PushTarget): Promise<void> {
  if (failures > 0) await db.query('update push_subscriptions set failures = 0 where id = $1', [id])
}
