import type { Db } from '../../db/open.ts'

const FIND = 'select 1 from devices d where d.id = $1 and d."user" = $2'

/** Whether a device is this user's. */
export async function isOwnDevice(db: Db, user: string, device: string): Promise<boolean> {
  const { rows } = await db.query(FIND, [device, user], 'sms own device')
  return rows.length > 0
}
