import { type Expression, sql } from 'kysely'
import { callFunctionRows } from '../../../platform/db/call-function.ts'
import type { Db } from '../../../platform/db/open.ts'

/** The devices to wake after the commit, which a function of sql/functions/messages/queue returns. */
export const listWokenDevices = async (
  step: Promise<readonly { readonly device: string }[]>,
): Promise<string[]> => (await step).map(({ device }) => device)

/** Returns their devices. `areUnsent`: the device that has fetched the messages did not send them. */
export const cancelIfRefused = (
  db: Db,
  source: Expression<unknown>,
  areUnsent = false,
): Promise<string[]> =>
  listWokenDevices(callFunctionRows(db, 'sms_end_refused', sql`array(${source})`, areUnsent, ''))

/** `source` locks rows of sms_dispatch. `isCharged`: limits of lines count this attempt and the next one. */
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
