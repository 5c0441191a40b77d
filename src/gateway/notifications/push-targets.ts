import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { isSubscriptionGone, type WebPushSubscription } from '../lines/web-push.ts'

/** A job pushes to this many browsers at most, to the newest ones. */
const MAX_TARGETS = 200

/**
 * The browsers to push to, without those of deleted members. `person`: the sender id of the browser's user,
 * which is the account's id for its owner. `notify`: the messages that the person hears of; `mine` are those
 * in conversations assigned to the person or to nobody.
 */
export async function loadPushTargets(db: Db, user: string) {
  const targets = await queries(db)
    .selectFrom('push_subscriptions as s')
    .leftJoin('members as m', 'm.id', 's.sender')
    .leftJoin('user_settings as u', 'u.user', 's.user')
    .select([
      's.id',
      's.failures',
      sql<string>`json_build_object('endpoint', s.endpoint, 'keys', s.keys)::text`.as(
        'subscription',
      ),
      sql<string>`coalesce(nullif(s.sender, ''), s."user")`.as('person'),
      sql<
        'all' | 'mine' | 'none'
      >`coalesce(nullif(case s.sender when '' then u.notify else m.notify end, ''), 'all')`.as(
        'notify',
      ),
    ])
    .where('s.user', '=', user)
    .where(({ or, eb }) => or([eb('s.sender', '=', ''), eb('m.id', 'is not', null)]))
    .orderBy('s.created', 'desc')
    .orderBy('s.id')
    .limit(sql.lit(MAX_TARGETS))
    .execute()
  return targets.map((target) => ({
    ...target,
    subscription: JSON.parse(target.subscription) as WebPushSubscription,
  }))
}
export type PushTarget = Awaited<ReturnType<typeof loadPushTargets>>[number]

/** After this many failed calls in a row a subscription is deleted. */
const MAX_FAILURES = 100

/** Notes the status of a push service's answer. No answer counts as a failure. */
export async function recordPushAnswer(
  db: Db,
  { id, subscription, failures }: PushTarget,
  status = 500,
) {
  const subscriptions = queries(db)
  if (isSubscriptionGone(status)) {
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
    await subscriptions
      .updateTable('push_subscriptions')
      .set({ failures: 0 })
      .where('id', '=', id)
      .execute()
  }
}
