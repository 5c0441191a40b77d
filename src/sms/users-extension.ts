import type { Store } from '../collections/catalog.ts'
import { type AuthCollection, USERS_ID } from '../collections/collection.ts'
import { badRequest, fieldError, notFound } from '../errors.ts'
import type { Value } from '../fields/field.ts'
import { deleteLinks, rotateTokenKey } from '../records/auth/auth-links.ts'
import type { Extension } from '../records/extension.ts'
import type { RequestInfo } from '../request/request.ts'
import { endUserQueue } from './edit/takeover.ts'
import { notifyAccess } from './wake/wake.ts'

/**
 * * Users: only superusers disable and enable one, whatever the rules of the collection say. What sending
 * keeps of a user goes with the user, first the row that acceptance locks. So no send gets between: one that
 * runs is through before the messages go, one that comes later finds nobody.
 */
export const usersExtension: Extension = {
  async beforeCreate(_store, values, request) {
    if (values.disabled === true && !isSuperuser(request)) throw badRequest('Failed to create record.')
    checkTimeZone(values, 'Failed to create record.')
    return {}
  },
  async beforeUpdate(store, values, old, request) {
    const isNamed = Object.hasOwn(request.body, 'disabled') || values.disabled !== old.disabled
    if (isNamed && !isSuperuser(request)) throw notFound()
    if (values.time_zone !== old.time_zone) checkTimeZone(values, 'Failed to update record.')
    if (values.disabled === true && old.disabled !== true) await suspendUser(store, values)
    return {}
  },
  async afterDelete(store, ids) {
    for (const table of Object.keys(OF_USERS) as (keyof typeof OF_USERS)[])
      await forgetUsers(store, table, ids)
  },
  onTakeover: endUserQueue,
}

const isSuperuser = ({ auth }: RequestInfo) => auth?.isSuperuser === true

/** Throws 400 for what is no name of a time zone that this server knows. Empty is fine. */
function checkTimeZone({ time_zone }: Readonly<Record<string, Value>>, failure: string): void {
  if (!time_zone || isTimeZone(String(time_zone))) return
  const message = 'Must be the name of a time zone, such as Europe/Berlin.'
  throw badRequest(failure, { time_zone: fieldError('validation_invalid_time_zone', message) })
}

/** Names begin with a letter; Intl would take offsets such as +01:00, too. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false // a RangeError: no such name
  }
}

/**
 * Ends what a user has open at the moment when it is disabled: tokens and sign-ins that have begun, pairing
 * codes, streams of its devices. Keys and devices stay, and work again once the user is enabled. The rows of
 * the devices get a new version: nobody goes on with one from memory. The lock comes first, so that no device
 * is added between.
 */
async function suspendUser({ db, catalog }: Store, values: Record<string, Value>): Promise<void> {
  const { id } = values
  await db.query('select from users where id = $1 for update', [id])
  await db.query('delete from device_pairings where "user" = $1', [id])
  const { rows } = await db.query('update devices set "user" = "user" where "user" = $1 returning id', [id])
  await notifyAccess(
    db,
    rows.map(([device]) => String(device)),
  )
  const users = catalog.find(USERS_ID) as AuthCollection
  rotateTokenKey(users, values)
  await deleteLinks({ db, catalog }, users, [String(id)], ['_mfas'])
}

/** By which column each is locked, as devices that report lock the queue. */
const OF_USERS = { sms_turns: '"user"', sms_idempotency: 'key', sms_dispatch: 'message' } as const

const forgetUsers = (store: Store, table: keyof typeof OF_USERS, users: readonly string[]) => {
  const key = OF_USERS[table]
  return store.db.query(
    `delete from ${table} where "user" = any($1) and ${key} = any(array(
      select ${key} from ${table} where "user" = any($1) order by ${key} for update))`,
    [users],
    `forget ${table}`,
  )
}
