import { DEVICES_ID } from '../../collections/collection.ts'
import type { Db } from '../../db/open.ts'
import { changeLogCte } from '../../records/changes.ts'
import type { AuthRecord } from '../../request/request.ts'
import { gatewayRefusal } from '../send/refusal.ts'

/** A device and its user: every statement for a device is bound to both. */
export interface Device {
  readonly id: string
  readonly user: string
  /** Its number in E.164 form, '' when unknown. */
  readonly phone: string
  readonly enabled: boolean
  /** In PocketBase's form, '' when never. */
  readonly lastSeen: string
  /** True when a claim has to count what it handed out before. */
  readonly isLimited: boolean
}

const USERS = 'users'

/** The device that asks. Throws 401 for a guest, 403 for anybody else. */
export function requireDevice(auth: AuthRecord | null): Device {
  const { id, values } = requireFrom(
    auth,
    DEVICES_ID,
    'Only a device may do this. Use the token of its pairing.',
  )
  return {
    id,
    user: String(values.user),
    phone: String(values.phone),
    enabled: values.enabled === true,
    lastSeen: String(values.last_seen),
    isLimited: Number(values.daily_limit) > 0 || Number(values.per_minute) > 0,
  }
}

/** The calling user. Throws 401 for a guest, 403 for others. */
export const requireUser = (auth: AuthRecord | null): AuthRecord =>
  requireFrom(auth, USERS, 'Only a user may do this. Sign in as one.')

function requireFrom(auth: AuthRecord | null, collection: string, otherwise: string): AuthRecord {
  if (!auth) throw gatewayRefusal('unauthorized')
  if (auth.collection.name !== collection) throw gatewayRefusal('forbidden', otherwise)
  return auth
}

/** Changes a device and notifies subscribers. `set`, `where`: SQL, parameters from $4. False if unchanged. */
export async function changeDevice(
  db: Db,
  device: Pick<Device, 'id' | 'user'>,
  { set, where }: { readonly set: string; readonly where: string },
  values: readonly unknown[],
): Promise<boolean> {
  const text = `with written as (
      update devices set ${set}, updated = pb_text(now()) where id = $1 and "user" = $2 and ${where} returning id
    ), ${changeLogCte('written', 'update', 3)} select id from written`
  const { rows } = await db.query(text, [device.id, device.user, DEVICES_ID, ...values])
  return rows.length > 0
}
