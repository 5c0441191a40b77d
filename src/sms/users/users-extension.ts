import type { Store } from '../../collections/catalog.ts'
import { badRequest, fieldError, invalidFields, notFound } from '../../errors.ts'
import type { Extension } from '../../records/extension.ts'
import { changeLogCte } from '../../records/record-sql.ts'
import { updateCampaigns } from '../campaigns/campaign.ts'
import { failUnsent } from '../queue/fail.ts'
import type { MessageSource } from '../queue/reassign.ts'
import { lockUserSends } from '../send/lock-user.ts'
import { REASONS } from '../status/status.ts'
import { readAccess } from './user-access.ts'

/** Only superusers change `member_only`. Clean-up after a deletion locks rows in the order of sms_accept. */
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

/** Throws 400 for a user who has devices, keys, webhooks or the like, or waiting messages. */
async function requireUnused({ db }: Store, user: string): Promise<void> {
  const { disabled: _, waiting, ...lists } = await readAccess(db, user)
  if (waiting === 0 && Object.values(lists).every(({ total }) => total === 0)) return
  const message = 'This account has devices, keys, webhooks, hooks, answers, campaigns or messages that wait.'
  throw invalidFields({ member_only: fieldError('validation_in_use', message) })
}

/** The column by which rows are locked in order, as reports of devices lock them too. */
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

/** Forbids further sends of messages at devices: a device may no longer report whether it sent one. */
const ONCE = `update sms_dispatch set at_least_once = false where message = any(array(
  select message from sms_dispatch where "user" = $1 and at_least_once order by message for update
))`

const END_ANSWERS = `
with changed as (
  update auto_answers set enabled = false, updated = pb_text(now()) where "user" = $1 and enabled returning id
), ${changeLogCte('changed', 'update', 2)}
select 1`

/** On a takeover, ends the former owner's work: cancels messages, voids pairing codes. */
async function endUserQueue(store: Store, user: string): Promise<void> {
  const { db } = store
  await lockUserSends(db, user) // a node that stores messages later then finds the new version of the user
  // the takeover deletes deliveries instead of calling them: a long queue would exceed the time limit
  await db.query('update webhooks set enabled = false where "user" = $1 and enabled', [user])
  await failUnsent(db, UNCLAIMED, REASONS.canceled, [user])
  // a node that stores a campaign's texts now finds the campaign and the user's record changed
  const ended = `status = 'canceled', settled = true, audience = '[]'`
  await updateCampaigns(
    db,
    ended,
    `"user" = $1 and status in ('scheduled', 'repeating', 'sending', 'paused')`,
    [user],
  )
  await db.query(ONCE, [user])
  await db.query(END_ANSWERS, [user, 'auto_answers'])
  await db.query('delete from device_pairings where "user" = $1', [user])
  await db.query('delete from smsgate_accounts where "user" = $1', [user])
}
