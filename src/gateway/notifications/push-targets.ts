import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { isSubscriptionGone, type WebPushSubscription } from '../lines/web-push.ts'

/** A job pushes to this many browsers at most, to the newest ones. */
const MAX_TARGETS = 200

/** SQL: a choice of the person of subscription `s`, an owner in `u` or a member in `m`; null for none. */
const readChoice = (field: string) =>
  sql`nullif(case s.sender when '' then u.${sql.ref(field)} else m.${sql.ref(field)} end, '')`

/** Whether now is within the hours of the person. `sms_quiet_until` finds the end of hours around a time. */
const IS_NOTIFIED_NOW = sql<boolean>`(${readChoice('notify_from')} is null or sms_quiet_until(
  ${readChoice('notify_from')}, ${readChoice('notify_to')}, '{}',
  coalesce(nullif(pb_known_zone(${readChoice('notify_zone')}), ''), sms_time_zone(s."user")), now()) is not null)`

/**
 * The browsers to push to now, without those of deleted members. `person`: the sender id of the browser's
 * user, which is the account's id for its owner. `notify`: the messages that the person hears of; `mine` are
 * those in conversations assigned to the person or to nobody. `isSilent`: without a sound.
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
      sql<boolean>`coalesce(case s.sender when '' then u.notify_silent else m.notify_silent end, false)`.as(
        'isSilent',
      ),
    ])
    .where('s.user', '=', user)
    .where(({ or, eb }) => or([eb('s.sender', '=', ''), eb('m.id', 'is not', null)]))
    .where(IS_NOTIFIED_NOW)
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
