import type { Store } from '../collections/catalog.ts'

/** How devices are: seen lately, not but to be woken by push, neither, or switched off. */
type DeviceState = 'online' | 'asleep' | 'silent' | 'disabled'

const STATES = `
select case when not enabled then 'disabled'
  when last_seen >= (select pb_text(now() - $1::float8 * interval '1 second')) then 'online'
  when pb_is_set(push) then 'asleep' else 'silent' end, count(*)
from devices group by 1`

const NONE: Readonly<Record<DeviceState, number>> = { online: 0, asleep: 0, silent: 0, disabled: 0 }

/** Devices of all accounts, by state. Throws DatabaseUnavailable. */
export async function readDevices({ db }: Store, deviceOnlineSeconds: number): Promise<typeof NONE> {
  const { rows } = await db.query(STATES, [deviceOnlineSeconds], 'device figures')
  const states = Object.fromEntries(rows.map(([name, count]) => [name, Number(count)]))
  return { ...NONE, ...states }
}
