import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { USERS_ID } from '../../engine/collections/collection.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { revokeFormerAccess } from '../../engine/records/revoke-access.ts'
import { notFound } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { updateRecords } from '../base/message-status.ts'
import { RECORD_TITLES } from '../base/record-titles.ts'
import { holdPausedCampaigns } from '../campaigns/hold-paused-campaigns.ts'

/** Maximum items of a list; `total` counts all. */
const MAX_ITEMS = 20

const LIST = z.object({
  total: z.int().min(0),
  items: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .describe(
      `The first ${MAX_ITEMS}; a webhook's name is its URL. Campaigns and automatic answers without a name have their words, text or template as \`name\`.`,
    ),
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
type UserAccess = Readonly<z.output<typeof USER_ACCESS>>

export const ENABLE_USER = z
  .strictObject({
    access: z
      .enum(['end', 'keep'])
      .describe(
        '`end`: keys, devices, webhooks and hooks are deleted, automatic answers disabled, campaigns and waiting messages canceled. `keep`: all stays; campaigns stay paused.',
      ),
  })
  .meta({ id: 'EnableUser' })

/** Maps a table to an SQL condition on the user's rows to list. */
const LISTS = {
  api_keys: sql<boolean>`true`,
  devices: sql<boolean>`true`,
  webhooks: sql<boolean>`enabled`,
  hooks: sql<boolean>`enabled`,
  auto_answers: sql<boolean>`enabled`,
  campaigns: sql<boolean>`status in ('scheduled', 'repeating', 'sending', 'paused')`,
}
type ListName = keyof typeof LISTS

/** A user's devices, API keys, webhooks and the like, which act without a sign-in. Throws 404. */
export async function loadUserAccess(db: Db, user: string): Promise<UserAccess> {
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
  const rows = await queries(db)
    .selectFrom(name)
    .select(['id', RECORD_TITLES[name].as('name'), sql<number>`count(*) over ()`.as('total')])
    .where('user', '=', user)
    .where(LISTS[name])
    .orderBy('created')
    .orderBy('id')
    .limit(sql.lit(MAX_ITEMS))
    .execute()
  return { total: rows[0]?.total ?? 0, items: rows.map(({ id, name }) => ({ id, name })) }
}

/** Enables a user. Ends or keeps devices, API keys and the like. Returns what there was. Throws 404. */
export async function enableUser(
  store: Store,
  extensions: Extensions,
  user: string,
  { access }: z.output<typeof ENABLE_USER>,
): Promise<UserAccess> {
  const before = await loadUserAccess(store.db, user)
  if (access === 'end')
    await revokeFormerAccess(store, extensions, store.catalog.find(USERS_ID)!, user)
  await holdPausedCampaigns(store, user)
  await updateRecords(store.db, 'user_settings', (update) =>
    update.set({ disabled: false }).where('user', '=', user).where('disabled', '=', true),
  )
  return { ...before, disabled: false }
}
