import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { type AuthCollection, USERS_ID } from '../../engine/collections/collection.ts'
import { formatNow } from '../../engine/fields/parse-date.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { endSignIns } from '../../engine/records/revoke-sign-ins.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import {
  badRequest,
  forbidden,
  invalidFields,
  makeFieldError,
  notFound,
} from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, matchAnyFound, queries } from '../../platform/db/queries.ts'
import { readDestination } from '../../portable/phone/number-patterns.ts'
import { UNDO_SECONDS } from '../../portable/undo-seconds.ts'
import { checkCountry } from '../base/check-country.ts'
import { completeList } from '../base/complete-numbers.ts'
import { updateRecords } from '../base/message-status.ts'
import { holdPausedCampaigns } from '../campaigns/hold-paused-campaigns.ts'
import { completeOptOutLanguages, loadOwnerLanguage } from '../consent/account-languages.ts'
import {
  type CheckedValues,
  checkHours,
  checkTimeZone,
  completeTimeZone,
} from '../lines/check-zones-and-hours.ts'
import { notifyAccess } from '../lines/wake-devices.ts'
import { checkNotifyHours, completeNotifyHours } from './notify-hours.ts'
import { applyFactorDate, planFactorJobs } from './required-factors.ts'

const QUIET_HOURS = { from: 'quiet_from', to: 'quiet_to', days: 'quiet_days' }

const DESTINATIONS = ['destinations', 'code_destinations']

/** Rules of users' settings: only superusers disable users. Deleting the record enables the user. */
export const userSettingsExtension: Extension = {
  setByServer: ['code_counted_from', 'opt_out_chosen'],
  check(values) {
    checkCountry(values)
    checkQuietHours(values)
    checkNotifyHours(values)
  },
  completeImported(values, given) {
    if (!Object.hasOwn(given, 'opt_out_chosen')) completeOptOutLanguages(values, given)
  },
  async beforeCreate(store, values, request) {
    if (values.disabled && !isSuperuser(request)) throw badRequest('Failed to create record.')
    values.code_counted_from = ''
    if (!Object.hasOwn(request.body, 'undo_seconds')) values.undo_seconds = UNDO_SECONDS
    checkCountry(values)
    const language = await loadOwnerLanguage(store, String(values.user))
    completeOptOutLanguages(values, request.body, language)
    checkAgentRows(values, undefined, request)
    await applyFactorDate(store.db, values, undefined, request)
    for (const field of DESTINATIONS) await completeList(store, values, field, readDestination)
    checkQuietHours(values)
    await completeTimeZone(store.db, values)
    await completeNotifyHours(store.db, values)
    if (values.disabled === true) await suspendUser(store, String(values.user))
  },
  async beforeUpdate(store, values, old, request) {
    const isNamed = Object.hasOwn(request.body, 'disabled') || values.disabled !== old.disabled
    if (isNamed && !isSuperuser(request)) throw notFound()
    checkUser(values, old)
    checkCountry(values, old)
    const language = await loadOwnerLanguage(store, String(values.user))
    completeOptOutLanguages(values, request.body, language, old)
    checkAgentRows(values, old, request)
    await applyFactorDate(store.db, values, old, request)
    for (const field of DESTINATIONS) await completeList(store, values, field, readDestination, old)
    values.code_counted_from = isCountryAllowed(values, old) ? formatNow() : old.code_counted_from!
    checkQuietHours(values, old)
    await completeTimeZone(store.db, values, old)
    await completeNotifyHours(store.db, values, old)
    if (values.disabled === true && old.disabled !== true)
      await suspendUser(store, String(values.user))
    if (values.disabled !== true && old.disabled === true)
      await holdPausedCampaigns(store, String(values.user))
    if (TIMES.some((name) => String(values[name]) !== String(old[name])))
      await retryWaitingTexts(store.db, String(values.user))
  },
  async beforeDelete(store, ids) {
    await planFactorJobs(store.db, await listAccountsThatRequire(store.db, ids), '')
    const disabled = await queries(store.db)
      .selectFrom('user_settings')
      .select('user')
      .where('id', '=', matchAny(ids))
      .where('disabled', '=', true)
      .execute()
    for (const { user } of disabled) await holdPausedCampaigns(store, user)
  },
}

/** The accounts of those of these settings that require second factors. */
async function listAccountsThatRequire(db: Db, ids: readonly string[]): Promise<string[]> {
  const found = await queries(db)
    .selectFrom('user_settings')
    .select('user')
    .where('id', '=', matchAny(ids))
    .where('second_factor_from', '<>', '')
    .execute()
  return found.map(({ user }) => user)
}

/** Throws 403 for a member who changes how many rows an agent may text. */
function checkAgentRows(
  values: CheckedValues,
  old: CheckedValues | undefined,
  { auth }: RequestInfo,
) {
  if (auth?.actor && Number(values.agent_list_rows ?? 0) !== Number(old?.agent_list_rows ?? 0))
    throw forbidden('Only the owner of the account may change agent_list_rows.')
}

function checkQuietHours(values: CheckedValues, old?: CheckedValues) {
  checkTimeZone(values, old)
  checkHours(QUIET_HOURS, values, old)
}

/** Whether an update takes a country out of those that get no codes. Only then their count begins again. */
function isCountryAllowed(values: CheckedValues, old: CheckedValues): boolean {
  const [stopped, before] = [values, old].map((of) => String(of.code_stopped ?? '').split(','))
  return before!.some((country) => country !== '' && !stopped!.includes(country))
}

const TIMES = ['time_zone', ...Object.values(QUIET_HOURS)]

/** Lets the sweep look at texts that wait for a line or for the end of quiet hours, and cannot be undone. */
const retryWaitingTexts = (db: Db, user: string) =>
  queries(db)
    .updateTable('sms_dispatch')
    .set({ due_at: sql<Date>`now()` })
    .where('message', '=', ({ selectFrom }) =>
      matchAnyFound(
        selectFrom('sms_dispatch')
          .select('message')
          .where('user', '=', user)
          .where('state', '=', sql.lit('pending'))
          .where('waiting_for', '<>', '')
          .where('waiting_for', '<>', 'undo')
          .where('due_at', '<', sql<Date>`'infinity'`)
          .orderBy('message')
          .forUpdate(),
      ),
    )
    .execute()

const isSuperuser = ({ auth }: RequestInfo) => auth?.isSuperuser === true

function checkUser({ user }: CheckedValues, old: CheckedValues) {
  if (user === old.user) return
  throw invalidFields({
    user: makeFieldError('validation_user_change', 'The user cannot be changed.'),
  })
}

/** Ends a disabled user's sign-ins, pairing codes and device streams, and pauses campaigns. */
async function suspendUser({ db, catalog }: Store, user: string) {
  await queries(db).selectFrom('users').where('id', '=', user).forUpdate().execute()
  await queries(db).deleteFrom('device_pairings').where('user', '=', user).execute()
  await updateRecords(db, 'campaigns', (update) =>
    update
      .set({ status: 'paused', settled: false })
      .where('user', '=', user)
      .where('status', 'in', ['scheduled', 'repeating', 'sending']),
  )
  const devices = await queries(db)
    .updateTable('devices')
    .set({ user })
    .where('user', '=', user)
    .returning('id')
    .execute()
  const ids = devices.map(({ id }) => id)
  await notifyAccess(db, ids)
  await endSignIns({ db, catalog }, catalog.find(USERS_ID) as AuthCollection, user)
}
