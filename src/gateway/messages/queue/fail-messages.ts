import { type Expression, sql } from 'kysely'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import { refundQuota } from '../../base/quota-usage.ts'

/**
 * Fails the messages that `source` finds: a query that locks rows of sms_dispatch and selects their
 * `message`. Returns counts by user and quota month. `by`: who ends them, a record of `senders`; ''
 * for the server.
 */
export const failMessages = (db: Db, source: Expression<unknown>, reason: string, by = '') =>
  queries(db)
    .selectFrom(
      sql<{
        user: string
        period: string
        messages: number
      }>`sms_fail(array(${source}), ${reason}, ${by})`.as('failed'),
    )
    .select(['user', 'period', 'messages'])
    .execute()

/** Fails the messages of `source` and refunds their quota: all must be unsent. Returns how many. */
export async function failUnsent(
  db: Db,
  source: Expression<unknown>,
  reason: string,
  by = '',
): Promise<number> {
  const paid = await failMessages(db, source, reason, by)
  for (const { user, period, messages } of paid) await refundQuota({ db }, user, period, messages)
  return paid.reduce((sum, { messages }) => sum + messages, 0)
}
