import type { Store } from '../../collections/catalog.ts'
import type { Device } from './device.ts'

/** The same reading is written again that often, as a sign that it is not old. */
const KEEP = `
insert into device_batteries (device, percent) values ($1, $2)
on conflict (device) do update set percent = excluded.percent, at = now()
  where device_batteries.percent <> excluded.percent or device_batteries.at < now() - interval '10 minutes'`

/** Keeps what a device says of its battery: 0 to 100. */
export async function saveBattery(store: Store, device: Device, percent: number): Promise<void> {
  await store.db.query(KEEP, [device.id, percent])
}

/** Removes old readings. */
export async function deleteOldBatteries(store: Store): Promise<void> {
  await store.db.query(
    `delete from device_batteries b
     where b.at < now() - interval '30 days' or not exists (select from devices d where d.id = b.device)`,
  )
}
