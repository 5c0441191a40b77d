import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'

type Woken = { readonly device: string }

/** Runs a function of sql/functions/messages/queue that returns the devices to wake after the commit. */
export async function wokenBy(db: Db, step: RawBuilder<Woken>): Promise<string[]> {
  const woken = await queries(db).selectFrom(step.as('woken')).select('device').execute()
  return woken.map(({ device }) => device)
}

/** Ends those messages of `source` that may not go to their persons any more. Returns their devices. */
export const endIfRefused = (db: Db, source: Expression<unknown>): Promise<string[]> =>
  wokenBy(db, sql`sms_end_refused(array(${source}))`)

/**
 * Gives other devices the messages that `source` finds: a query that locks rows of sms_dispatch and selects
 * their `message`. `why`: for their events. `isCharged`: limits of lines count this attempt and the next one.
 */
export const reassign = (
  db: Db,
  source: Expression<unknown>,
  why: string,
  onlineSeconds: number,
  isCharged = false,
): Promise<string[]> =>
  wokenBy(db, sql`sms_reassign(array(${source}), array[${why}], ${onlineSeconds}, ${isCharged})`)
