import { sql } from 'kysely'
import { admission } from '../../admission/shared-limits.ts'
import { type Store, userHolder } from '../../collections/catalog.ts'
import { queries } from '../../db/queries.ts'
import { type ConsentScope, missingSql } from '../consent/required.ts'
import { stoppedSql } from '../consent/stopped.ts'
import { invalid } from './refusals.ts'

/** SQL: those of these numbers that have opted out, whose persons were erased, or that have left a group. */
export const outSql = (user: string, phones: unknown, groups: readonly string[]) =>
  sql<string[]>`(person_stopped(${user}, ${phones}::text[]) || ${stoppedSql(user, phones)}
    || consent_left(${user}, ${phones}::text[], ${groups}::text[]))`

/**
 * Returns those of `phones` that have opted out of a user's texts, are on the user's stop list, or have left
 * one of the groups of the send.
 */
export async function optedOut(
  store: Store,
  user: string,
  phones: readonly string[],
  groups: readonly string[] = [],
) {
  const { out } = await queries(store.db)
    .selectNoFrom(outSql(user, phones, groups).as('out'))
    .executeTakeFirstOrThrow()
  return new Set(out)
}

/** Maximum webhook calls that opted-out recipients of a send may cause: one transaction stores them all. */
const MAX_CALLS = 1_000
/** The limit on opted-out recipients ignores smaller sends: these cost about as much as any send. */
export const MIN_RECIPIENTS = 20

/**
 * Counts webhook calls for recipients who have opted out, have left a group of the send, were erased, or have
 * not given the consent that the send requires. Throws 400 if the send, 429 if the user causes too many.
 */
export async function chargeOptedOut(
  { db }: Pick<Store, 'db'>,
  user: string,
  phones: readonly string[],
  scope: ConsentScope,
) {
  admission.optedOut.take(userHolder(user), 0)
  const { optedOut, webhooks } = await queries(db)
    .selectNoFrom([
      sql<number>`cardinality(${missingSql(user, scope, phones)})
        + cardinality(${outSql(user, phones, scope.groups)})`.as('optedOut'),
      sql<number>`(select count(*) from webhooks
        where "user" = ${user} and enabled and 'message.failed' = any(events))`.as('webhooks'),
    ])
    .executeTakeFirstOrThrow()
  if (optedOut * webhooks > MAX_CALLS)
    throw invalid(
      `${optedOut} recipients have opted out or not given consent, and each causes ${webhooks} webhook calls. ` +
        `One send may cause ${MAX_CALLS}: leave them out, or send to fewer at once.`,
    )
  if (optedOut > 0) admission.optedOut.charge(userHolder(user), optedOut * Math.max(webhooks, 1))
}
