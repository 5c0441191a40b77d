import type { AuthRecord } from '../filter/request.ts'
import { refuse } from './refusal.ts'

/** A device and whose it is: every statement for a device is bound to both. */
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

const DEVICES = 'devices'
const USERS = 'users'

/** The device that asks. Throws 401 for a guest, 403 for anybody else. */
export function requireDevice(auth: AuthRecord | null): Device {
  const { id, values } = requireFrom(
    auth,
    DEVICES,
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

/** The user who asks. Throws 401 for a guest, 403 for anybody else. */
export const requireUser = (auth: AuthRecord | null): AuthRecord =>
  requireFrom(auth, USERS, 'Only a user may do this. Sign in as one.')

function requireFrom(auth: AuthRecord | null, collection: string, otherwise: string): AuthRecord {
  if (!auth) throw refuse('unauthorized')
  if (auth.collection.name !== collection) throw refuse('forbidden', otherwise)
  return auth
}
