import { type AuthCollection, type Store, USERS_ID } from '../../collections/catalog.ts'
import { textsOf } from '../../db/statement.ts'
import { badRequest, fieldError, invalidFields, notFound } from '../../errors.ts'
import { endSignIns } from '../../records/auth-records.ts'
import type { Extension } from '../../records/extension.ts'
import type { RequestInfo } from '../../request/request.ts'
import { updateCampaigns } from '../campaigns/campaign.ts'
import { checkHours, checkTimeZone, type Values } from '../hours.ts'
import { notifyAccess } from '../wake/wake.ts'
import { holdPaused } from './user-access.ts'

const QUIET_HOURS = { from: 'quiet_from', to: 'quiet_to', days: 'quiet_days' }

/** Users' settings. Only superusers disable users. Deleting the record enables the user. */
export const userSettingsExtension: Extension = {
  async beforeCreate(store, values, request) {
    if (values.disabled === true && !isSuperuser(request)) throw badRequest('Failed to create record.')
    checkTimeZone(values)
    checkHours(QUIET_HOURS, values)
    if (values.disabled === true) await suspendUser(store, String(values.user))
  },
  async beforeUpdate(store, values, old, request) {
    const isNamed = Object.hasOwn(request.body, 'disabled') || values.disabled !== old.disabled
    if (isNamed && !isSuperuser(request)) throw notFound()
    checkUser(values, old)
    checkTimeZone(values, old)
    checkHours(QUIET_HOURS, values, old)
    if (values.disabled === true && old.disabled !== true) await suspendUser(store, String(values.user))
    if (values.disabled !== true && old.disabled === true) await holdPaused(store, String(values.user))
    if (TIMES.some((name) => String(values[name]) !== String(old[name])))
      await store.db.query(LOOK_AGAIN, [values.user])
  },
  async beforeDelete(store, ids) {
    const sql = 'select "user" from user_settings where id = any($1) and disabled'
    for (const user of textsOf(await store.db.query(sql, [ids]))) await holdPaused(store, user)
  },
}

const TIMES = ['time_zone', ...Object.values(QUIET_HOURS)]

/** Makes the next sweep check messages that wait for room or the end of quiet hours. */
const LOOK_AGAIN = `
update sms_dispatch d set due_at = now() where d.message = any(array(
  select w.message from sms_dispatch w
  where w."user" = $1 and w.state = 'pending' and w.waiting_for <> '' and w.due_at < 'infinity'
  order by w.message for update
))`

const isSuperuser = ({ auth }: RequestInfo) => auth?.isSuperuser === true

function checkUser({ user }: Values, old: Values): void {
  if (user === old.user) return
  throw invalidFields({ user: fieldError('validation_user_change', 'The user cannot be changed.') })
}

/** Ends a disabled user's tokens, pairing codes and streams; pauses campaigns. Locks devices first. */
async function suspendUser({ db, catalog }: Store, user: string): Promise<void> {
  await db.query('select from users where id = $1 for update', [user])
  await db.query('delete from device_pairings where "user" = $1', [user])
  const unfinished = `"user" = $1 and status in ('scheduled', 'repeating', 'sending')`
  await updateCampaigns(db, `status = 'paused', settled = false`, unfinished, [user])
  const devices = await db.query('update devices set "user" = "user" where "user" = $1 returning id', [user])
  await notifyAccess(db, textsOf(devices))
  await endSignIns({ db, catalog }, catalog.find(USERS_ID) as AuthCollection, user)
}
