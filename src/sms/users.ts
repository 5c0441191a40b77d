import { sql } from 'kysely'
import { z } from 'zod'
import { type AuthCollection, type Store, USERS_ID } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { anyFound, anyOf, queries } from '../db/queries.ts'
import { badRequest, fieldError, invalidFields, notFound } from '../errors.ts'
import { now } from '../fields/date.ts'
import { readDestination } from '../portable/phone/prefix.ts'
import { endSignIns } from '../records/auth-records.ts'
import { revokeFormerAccess } from '../records/delete.ts'
import type { Extension, Extensions } from '../records/extension.ts'
import type { RequestInfo } from '../request/request.ts'
import { holdMessages, readCampaign } from './campaigns/campaign.ts'
import { completeList } from './complete-numbers.ts'
import { checkHours, checkTimeZone, type Values } from './hours.ts'
import { failUnsent, type MessageSource } from './queue/fail-or-reassign.ts'
import { sendOnce } from './queue/send-once.ts'
import { lockUserSends } from './send/accept.ts'
import { REASONS, updateRecords } from './status.ts'
import { notifyAccess } from './wake.ts'

/** Maximum items of a list; `total` counts all. */
const MAX_ITEMS = 20

const LIST = z.object({
  total: z.int().min(0),
  items: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .describe(`The first ${MAX_ITEMS}; a webhook's name is its URL.`),
})
export const USER_ACCESS = z
  .object({
    disabled: z.boolean(),
    api_keys: LIST,
    devices: LIST,
    webhooks: LIST,
    hooks: LIST,
    auto_answers: LIST,
    campaigns: LIST.describe('Unfinished campaigns.'),
    waiting: z.int().min(0).describe('Messages that no device has claimed.'),
  })
  .meta({ id: 'UserAccess' })
export type UserAccess = Readonly<z.output<typeof USER_ACCESS>>

export const ENABLE_USER = z
  .strictObject({
    access: z
      .enum(['end', 'keep'])
      .describe(
        '`end`: keys, devices, webhooks and hooks are deleted, automatic answers disabled, campaigns and waiting messages canceled. `keep`: all stays; campaigns stay paused.',
      ),
  })
  .meta({ id: 'EnableUser' })

const OPEN_CAMPAIGNS = ['scheduled', 'repeating', 'sending', 'paused'] as const

/** Maps a table to an SQL condition on the user's rows to list. */
const LISTS = {
  api_keys: 'true',
  devices: 'true',
  webhooks: 'enabled',
  hooks: 'enabled',
  auto_answers: 'enabled',
  campaigns: `status in ('scheduled', 'repeating', 'sending', 'paused')`,
}
type ListName = keyof typeof LISTS

/** A user's devices, API keys, webhooks and the like, which act without a sign-in. Throws 404. */
export async function readAccess(db: Db, user: string): Promise<UserAccess> {
  const found = await queries(db)
    .selectFrom('users as u')
    .leftJoin('user_settings as s', 's.user', 'u.id')
    .select(({ fn, selectFrom }) => [
      fn.coalesce('s.disabled', sql.lit(false)).as('disabled'),
      selectFrom('sms_dispatch as d')
        .select(fn.countAll<number>().as('messages'))
        .whereRef('d.user', '=', 'u.id')
        .where('d.state', '<>', sql.lit('sending'))
        .as('waiting'),
    ])
    .where('u.id', '=', user)
    .executeTakeFirst()
  if (!found) throw notFound()
  const lists = {} as Record<ListName, UserAccess[ListName]>
  for (const name of Object.keys(LISTS) as ListName[]) lists[name] = await readList(db, name, user)
  return { disabled: found.disabled, ...lists, waiting: found.waiting ?? 0 }
}

async function readList(db: Db, name: ListName, user: string): Promise<UserAccess[ListName]> {
  const title = name === 'webhooks' ? 'url' : 'name'
  const { rows } = await db.query(
    `select id, ${title}, count(*) over () from ${name} where "user" = $1 and ${LISTS[name]} order by created, id limit ${MAX_ITEMS}`,
    [user],
  )
  const items = rows.map(([id, called]) => ({ id: String(id), name: String(called) }))
  return { total: Number(rows[0]?.[2] ?? 0), items }
}

/** Enables a user. Ends or keeps devices, API keys and the like. Returns what there was. Throws 404. */
export async function enableUser(
  store: Store,
  extensions: Extensions,
  user: string,
  { access }: z.output<typeof ENABLE_USER>,
): Promise<UserAccess> {
  const before = await readAccess(store.db, user)
  if (access === 'end') await revokeFormerAccess(store, extensions, store.catalog.find(USERS_ID)!, user)
  await holdPaused(store, user)
  await updateRecords(store.db, 'user_settings', (update) =>
    update.set({ disabled: false }).where('user', '=', user).where('disabled', '=', true),
  )
  return { ...before, disabled: false }
}

/** Completes the pause of a user's campaigns: unassigns messages that no device has claimed yet. */
async function holdPaused(store: Store, user: string) {
  const { rows } = await store.db.query(
    `select id from campaigns where "user" = $1 and status = 'paused' and not settled`,
    [user],
  )
  for (const [id] of rows) {
    const campaign = await readCampaign(store.db, String(id))
    if (campaign) await holdMessages(store, campaign)
  }
}

/** Rules of users. Only superusers change `member_only`. Locks rows in the order of sms_accept. */
export const usersExtension: Extension = {
  async beforeCreate(_store, values, { auth }) {
    if (values.member_only === true && !auth?.isSuperuser) throw badRequest('Failed to create record.')
  },
  async beforeUpdate(store, values, old, { auth }) {
    if (values.member_only === old.member_only) return
    if (!auth?.isSuperuser) throw notFound()
    if (values.member_only === true) await requireUnused(store, String(old.id))
  },
  async afterDelete({ db }, ids) {
    for (const [table, key] of Object.entries(OF_USERS)) {
      const sql = `delete from ${table} where "user" = any($1) and ${key} = any(array(
        select ${key} from ${table} where "user" = any($1) order by ${key} for update))`
      await db.query(sql, [ids], `forget ${table}`)
    }
  },
  onTakeover: endUserQueue,
}

/** Throws 400 if the user has devices, keys, webhooks or the like, or waiting messages. */
async function requireUnused({ db }: Store, user: string) {
  const { disabled: _, waiting, ...lists } = await readAccess(db, user)
  if (waiting === 0 && Object.values(lists).every(({ total }) => total === 0)) return
  const message = 'This account has devices, keys, webhooks, hooks, answers, campaigns or messages that wait.'
  throw invalidFields({ member_only: fieldError('validation_in_use', message) })
}

/** Tables to clean after a user's deletion, each with the column that orders its locks. */
const OF_USERS = {
  sms_turns: '"user"',
  sms_idempotency: 'key',
  sms_dispatch: 'message',
  sms_origins: 'ref',
  smsgate_accounts: '"user"',
  smsgate_tokens: 'id',
}

const UNCLAIMED: MessageSource = {
  name: 'unclaimed at takeover',
  sql: `select d.* from sms_dispatch d where d."user" = $2 and d.state in ('pending', 'assigned')
  order by d.message for update`,
}

/** Ends the work of an account when former access to it is revoked: messages, campaigns, pairing codes, … */
async function endUserQueue(store: Store, user: string) {
  const { db } = store
  await lockUserSends(db, user) // a node that stores messages later then finds the new version of the user
  // disabled webhooks get no calls for messages that are canceled below: many calls would take too long
  await queries(db)
    .updateTable('webhooks')
    .set({ enabled: false })
    .where('user', '=', user)
    .where('enabled', '=', true)
    .execute()
  await failUnsent(db, UNCLAIMED, REASONS.canceled, [user])
  // a node that is storing a campaign's messages finds the campaign changed, and stops
  await updateRecords(db, 'campaigns', (update) =>
    update
      .set({ status: 'canceled', settled: true, audience: '[]' })
      .where('user', '=', user)
      .where('status', 'in', OPEN_CAMPAIGNS),
  )
  await sendOnce(db, user)
  await updateRecords(db, 'auto_answers', (update) =>
    update.set({ enabled: false }).where('user', '=', user).where('enabled', '=', true),
  )
  await queries(db).deleteFrom('device_pairings').where('user', '=', user).execute()
  await queries(db).deleteFrom('smsgate_accounts').where('user', '=', user).execute()
}

const QUIET_HOURS = { from: 'quiet_from', to: 'quiet_to', days: 'quiet_days' }

const DESTINATIONS = ['destinations', 'code_destinations']

/** Rules of users' settings: only superusers disable users. Deleting the record enables the user. */
export const userSettingsExtension: Extension = {
  setByServer: ['code_counted_from'],
  check(values) {
    checkTimeZone(values)
    checkHours(QUIET_HOURS, values)
  },
  async beforeCreate(store, values, request) {
    if (values.disabled === true && !isSuperuser(request)) throw badRequest('Failed to create record.')
    values.code_counted_from = ''
    for (const field of DESTINATIONS) await completeList(store, values, field, readDestination)
    checkTimeZone(values)
    checkHours(QUIET_HOURS, values)
    if (values.disabled === true) await suspendUser(store, String(values.user))
  },
  async beforeUpdate(store, values, old, request) {
    const isNamed = Object.hasOwn(request.body, 'disabled') || values.disabled !== old.disabled
    if (isNamed && !isSuperuser(request)) throw notFound()
    checkUser(values, old)
    for (const field of DESTINATIONS) await completeList(store, values, field, readDestination, old)
    values.code_counted_from = isCountryAllowed(values, old) ? now() : old.code_counted_from!
    checkTimeZone(values, old)
    checkHours(QUIET_HOURS, values, old)
    if (values.disabled === true && old.disabled !== true) await suspendUser(store, String(values.user))
    if (values.disabled !== true && old.disabled === true) await holdPaused(store, String(values.user))
    if (TIMES.some((name) => String(values[name]) !== String(old[name])))
      await lookAgain(store.db, String(values.user))
  },
  async beforeDelete(store, ids) {
    const disabled = await queries(store.db)
      .selectFrom('user_settings')
      .select('user')
      .where('id', '=', anyOf(ids))
      .where('disabled', '=', true)
      .execute()
    for (const { user } of disabled) await holdPaused(store, user)
  },
}

/** Whether an update takes a country out of those that get no codes. Only then their count begins again. */
function isCountryAllowed(values: Values, old: Values): boolean {
  const [stopped, before] = [values, old].map((of) => String(of.code_stopped ?? '').split(','))
  return before!.some((country) => country !== '' && !stopped!.includes(country))
}

const TIMES = ['time_zone', ...Object.values(QUIET_HOURS)]

/** Makes the next sweep check messages that wait for a line or for the end of quiet hours. */
const lookAgain = (db: Db, user: string) =>
  queries(db)
    .updateTable('sms_dispatch')
    .set({ due_at: sql<Date>`now()` })
    .where('message', '=', ({ selectFrom }) =>
      anyFound(
        selectFrom('sms_dispatch')
          .select('message')
          .where('user', '=', user)
          .where('state', '=', sql.lit('pending'))
          .where('waiting_for', '<>', '')
          .where('due_at', '<', sql<Date>`'infinity'`)
          .orderBy('message')
          .forUpdate(),
      ),
    )
    .execute()

const isSuperuser = ({ auth }: RequestInfo) => auth?.isSuperuser === true

function checkUser({ user }: Values, old: Values) {
  if (user === old.user) return
  throw invalidFields({ user: fieldError('validation_user_change', 'The user cannot be changed.') })
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
