import { type RawBuilder, sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import { makeUserHolder } from '../../../engine/collections/collection.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import { evaluateSql } from '../../../platform/db/call-function.ts'
import { queries } from '../../../platform/db/queries.ts'
import { admission } from '../../../platform/limits/shared-limits.ts'
import { type ConsentScope, NO_SCOPE } from './consent-scope.ts'

/** SQL: why each of these numbers gets no text of a send; see sms_refusals. */
export const writeRefusalsSql = (
  user: string,
  phones: unknown,
  scope: ConsentScope,
): RawBuilder<string[] | null> =>
  sql`sms_refusals(${user}, ${phones}::text[], ${JSON.stringify(scope)}, null)`

/**
 * Finds those of `phones` that get no text of a send, each with the reason: one of REFUSED. The acceptance
 * asks again.
 */
export async function findRefused(
  { db }: Pick<Store, 'db'>,
  user: string,
  phones: readonly string[],
  scope: ConsentScope = NO_SCOPE,
): Promise<ReadonlyMap<string, string>> {
  const refusals = await evaluateSql(db, writeRefusalsSql(user, phones, scope))
  const reasons = phones.map((phone, i) => [phone, refusals?.[i] ?? ''] as const)
  return new Map(reasons.filter(([, reason]) => reason !== ''))
}

/** Maximum webhook calls that refused recipients of a send may cause: one transaction stores them all. */
const MAX_CALLS = 1_000
/** The limit on refused recipients ignores smaller sends: these cost about as much as any send. */
export const MIN_RECIPIENTS = 20

/**
 * Counts webhook calls for recipients who get no text: they have opted out, for example. Throws 400 if the
 * send, 429 if the user causes too many.
 */
export async function chargeRefused(
  store: Pick<Store, 'db'>,
  user: string,
  phones: readonly string[],
  scope: ConsentScope,
) {
  admission.optedOut.take(makeUserHolder(user), 0)
  const { size: refused } = await findRefused(store, user, phones, scope)
  if (refused === 0) return
  const { webhooks } = await queries(store.db)
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('webhooks'))
    .where('user', '=', user)
    .where('enabled', '=', true)
    .where(sql<boolean>`'message.failed' = any(events)`)
    .executeTakeFirstOrThrow()
  if (refused * webhooks > MAX_CALLS)
    throw invalidRequest(
      `${refused} recipients have opted out or not given consent, and each causes ${webhooks} webhook calls. ` +
        `One send may cause ${MAX_CALLS}: leave them out, or send to fewer at once.`,
    )
  admission.optedOut.charge(makeUserHolder(user), refused * Math.max(webhooks, 1))
}
