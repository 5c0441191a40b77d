import type { Value } from '../../engine/fields/field.ts'
import type { Db } from '../../platform/db/open.ts'
import { type CheckedValues, checkHours, completeTimeZone } from '../lines/check-zones-and-hours.ts'

const HOURS = { from: 'notify_from', to: 'notify_to' }

/** Throws 400 unless both ends of the hours in which a person is notified are set, or none. */
export const checkNotifyHours = (values: CheckedValues, old?: CheckedValues): void =>
  checkHours(HOURS, values, old)

/**
 * Checks the hours as `checkNotifyHours`, and replaces their time zone by Postgres' name for it. Throws 400
 * for a time zone that Postgres does not have.
 */
export async function completeNotifyHours(
  db: Db,
  values: Record<string, Value>,
  old?: CheckedValues,
): Promise<void> {
  checkNotifyHours(values, old)
  await completeTimeZone(db, values, old, 'notify_zone')
}
