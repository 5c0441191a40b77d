import { z } from 'zod'
import { type Store, USERS_ID } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { notFound } from '../../errors.ts'
import { revokeFormerAccess } from '../../records/delete.ts'
import type { Extensions } from '../../records/extension.ts'
import { changeLogCte } from '../../records/record-sql.ts'
import { readCampaign } from '../campaigns/campaign.ts'
import { holdMessages } from '../campaigns/hold.ts'

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
    campaigns: LIST.describe('Those that are not over.'),
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

/** By table: the column with the name of an item, and an SQL condition on the user's rows. */
const LISTS = {
  api_keys: ['name', 'true'],
  devices: ['name', 'true'],
  webhooks: ['url', 'enabled'],
  hooks: ['name', 'enabled'],
  auto_answers: ['name', 'enabled'],
  campaigns: ['name', `status in ('scheduled', 'repeating', 'sending', 'paused')`],
} as const
type ListName = keyof typeof LISTS

/** A user's devices, keys and the like, which act without a sign-in. Throws 404. */
export async function readAccess(db: Db, user: string): Promise<UserAccess> {
  const { rows } = await db.query(
    `select coalesce((select s.disabled from user_settings s where s."user" = u.id), false),
      (select count(*) from sms_dispatch d where d."user" = u.id and d.state <> 'sending')
    from users u where u.id = $1`,
    [user],
  )
  if (!rows[0]) throw notFound()
  const lists = {} as Record<ListName, UserAccess[ListName]>
  for (const name of Object.keys(LISTS) as ListName[]) lists[name] = await readList(db, name, user)
  return { disabled: rows[0][0] === true, ...lists, waiting: Number(rows[0][1]) }
}

async function readList(db: Db, name: ListName, user: string): Promise<UserAccess[ListName]> {
  const [title, where] = LISTS[name]
  const { rows } = await db.query(
    `select id, ${title}, count(*) over () from ${name} where "user" = $1 and ${where} order by created, id limit ${MAX_ITEMS}`,
    [user],
  )
  const items = rows.map(([id, called]) => ({ id: String(id), name: String(called) }))
  return { total: Number(rows[0]?.[2] ?? 0), items }
}

const ENABLE = `
with written as (
  update user_settings set disabled = false, updated = pb_text(now()) where "user" = $1 and disabled returning *
), ${changeLogCte('written', 'update', 2, 'noted', true)}
select 1 from written`

/** Enables a user, and ends or keeps devices, keys and the like. Returns them. Throws 404. */
export async function enableUser(
  store: Store,
  extensions: Extensions,
  user: string,
  { access }: z.output<typeof ENABLE_USER>,
): Promise<UserAccess> {
  const before = await readAccess(store.db, user)
  if (access === 'end') await revokeFormerAccess(store, extensions, store.catalog.find(USERS_ID)!, user)
  await holdPaused(store, user)
  await store.db.query(ENABLE, [user, 'user_settings'])
  return { ...before, disabled: false }
}

/** Takes back the messages of a user's campaigns that were just paused: see advance.ts. */
export async function holdPaused(store: Store, user: string): Promise<void> {
  const { rows } = await store.db.query(
    `select id from campaigns where "user" = $1 and status = 'paused' and not settled`,
    [user],
  )
  for (const [id] of rows) {
    const campaign = await readCampaign(store.db, String(id))
    if (campaign) await holdMessages(store, campaign)
  }
}
