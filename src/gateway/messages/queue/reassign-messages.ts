import { type Expression, sql } from 'kysely'
import { callFunctionRows } from '../../../platform/db/call-function.ts'
import type { Db } from '../../../platform/db/open.ts'

/** The devices to wake after the commit, which a function of sql/functions/messages/queue returns. */
export const listWokenDevices = async (
  step: Promise<readonly { readonly device: string }[]>,
): Promise<string[]> => (await step).map(({ device }) => device)

/**
 * Ends those messages of `source` that may no longer be sent to their persons, or that were canceled. Returns
 * their devices. `areUnsent`: the device that has fetched them says that it has not sent them.
 */
export const cancelIfRefused = (
  db: Db,
  source: Expression<unknown>,
  areUnsent = false,
): Promise<string[]> =>
  listWokenDevices(callFunctionRows(db, 'sms_end_refused', sql`array(${source})`, areUnsent, ''))

/**
 * Gives other devices the messages that `source` finds: a query that locks rows of sms_dispatch and selects
 * their `message`. `why`: for their events. `isCharged`: limits of lines count this attempt and the next one.
 */
export const reassignMessages = (
  db: Db,
  source: Expression<unknown>,
  why: string,
  onlineSeconds: number,
  isCharged = false,
): Promise<string[]> =>
  listWokenDevices(
    callFunctionRows(db, 'sms_reassign', sql`array(${source})`, [why], onlineSeconds, isCharged),
  )
