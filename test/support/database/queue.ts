import type { Store } from '../../../src/engine/collections/catalog.ts'
import type { Device } from '../../../src/gateway/base/device-record.ts'
import { makeRandomId } from '../../../src/platform/tools/random.ts'
import { openPreparedDb } from '../server/start.ts'
import { openCatalogStore } from './open.ts'

const NOW = 'pb_text(now())'

/** A store on a database of its own, without a server: nothing happens by itself. */
export const testStore = async (): Promise<Store> => openCatalogStore(await openPreparedDb())

/** A user without a password, straight in the table. */
export async function makeUser({ db }: Store): Promise<string> {
  const id = makeRandomId()
  await db.query(
    `insert into users (id, password, "tokenKey", email, created, updated)
     values ($1, 'none', $2, $3, ${NOW}, ${NOW})`,
    [id, makeRandomId(50), `${id}@example.com`],
  )
  return id
}

/** A device of a user that was seen just now. `columns`: SQL values of its columns that differ. */
export async function makeDevice(
  { db }: Store,
  user: string,
  columns: Readonly<Record<string, string>> = {},
): Promise<Device> {
  const id = makeRandomId()
  const all = { enabled: 'true', last_seen: NOW, phone: `'+4930123'`, ...columns }
  await db.query(
    `insert into devices (id, password, "tokenKey", "user", name, created, updated, ${Object.keys(all).join(', ')})
     values ($1, 'none', $2, $3, 'phone', ${NOW}, ${NOW}, ${Object.values(all).join(', ')})`,
    [id, makeRandomId(50), user],
  )
  const isLimited = 'per_minute' in columns || 'daily_limit' in columns
  const enabled = all.enabled === 'true'
  return { id, user, phone: '+4930123', enabled, lastSeen: '', isLimited }
}

/**
 * Messages assigned to a device, as acceptance leaves them; ids in order. `dispatch`: SQL values that differ.
 */
export async function assign(
  { db }: Store,
  device: Pick<Device, 'id' | 'user'>,
  count: number,
  dispatch: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => makeRandomId())
  const all = {
    state: `'assigned'`,
    wakes: '1',
    wake_at: `now() + interval '5 seconds'`,
    ...dispatch,
  }
  await db.query(
    `insert into sms_messages (id, status, message_type, "user", device, "to", body, segments, guarantee, created, updated)
     select id, ${all.state}, 'outgoing', $2, $3, '+4930100', 'hello', 1, 'at_most_once', ${NOW}, ${NOW}
     from unnest($1::text[]) id`,
    [ids, device.user, device.id],
  )
  await db.query(
    `insert into sms_dispatch (message, "user", device, period, ${Object.keys(all).join(', ')})
     select id, $2, $3, to_char(now(), 'YYYY-MM'), ${Object.values(all).join(', ')}
     from unnest($1::text[]) with ordinality t(id, n) order by n`,
    [ids, device.user, device.id],
  )
  return ids
}

/** What became of messages, in the order of `ids`: status, device, reason. */
export async function lookUp({ db }: Store, ids: readonly string[]) {
  const { rows } = await db.query(
    'select id, status, device, error_message from sms_messages where id = any($1)',
    [ids],
  )
  const byId = new Map(
    rows.map(([id, status, device, error]) => [
      id,
      { status, device, error } as Record<string, string>,
    ]),
  )
  return ids.map((id) => byId.get(id)!)
}

/** The events of a message as `status attempt`, oldest first. */
export async function eventsOf({ db }: Store, id: string): Promise<string[]> {
  const { rows } = await db.query(
    'select status, attempt from sms_events where message = $1 order by _rowid',
    [id],
  )
  return rows.map(([status, attempt]) => `${status} ${attempt}`)
}
