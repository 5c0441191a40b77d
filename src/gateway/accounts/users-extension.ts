import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { badRequest, invalidFields, makeFieldError, notFound } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, matchAnyFound, NOW, queries } from '../../platform/db/queries.ts'
import { lockUserSends } from '../base/lock-user-sends.ts'
import { REASONS, updateRecords } from '../base/message-status.ts'
import { followOwnerLanguage } from '../consent/account-languages.ts'
import { failUnsent } from '../messages/queue/fail-messages.ts'
import { sendOnce } from '../messages/queue/send-once.ts'
import { loadUserAccess } from './enable-user.ts'

const OPEN_CAMPAIGNS = ['scheduled', 'repeating', 'sending', 'paused'] as const

/** Rules of users. Only superusers change `member_only`. Locks rows in the order of sms_accept. */
export const usersExtension: Extension = {
  async beforeCreate(_store, values, { auth }) {
    if (values.member_only === true && !auth?.isSuperuser)
      throw badRequest('Failed to create record.')
  },
  async beforeUpdate(store, values, old, { auth }) {
    if (old.language === '' && values.language)
      await followOwnerLanguage(store.db, String(old.id), String(values.language))
    if (values.member_only === old.member_only) return
    if (!auth?.isSuperuser) throw notFound()
    if (values.member_only === true) await requireUnusedAccount(store, String(old.id))
  },
  async beforeDelete({ db }, ids) {
    await recordLeaving(db, ids)
  },
  async afterDelete({ db }, ids) {
    for (const [table, key] of OF_USERS) {
      const locked = queries(db)
        .selectFrom(table)
        .select(sql.ref(key).as('key'))
        .where('user', '=', matchAny(ids))
      await queries(db)
        .deleteFrom(table)
        .where('user', '=', matchAny(ids))
        .where(sql.ref(key), '=', matchAnyFound(locked.orderBy(sql.ref(key)).forUpdate()))
        .execute()
    }
  },
  onTakeover: endUserQueue,
}

/** Notes in the logs of accounts that these users are no members any more. */
const recordLeaving = (db: Db, ids: readonly string[]) =>
  queries(db)
    .insertInto('account_audit')
    .columns(['id', 'user', 'sender', 'action', 'collection', 'record', 'fields', 'created'])
    .expression((from) =>
      from
        .selectFrom('members')
        .where('member', '=', matchAny(ids))
        .select([
          sql<string>`pb_new_id()`.as('id'),
          'account',
          'id as sender',
          sql<string>`'delete'`.as('action'),
          sql<string>`'members'`.as('collection'),
          'id as record',
          sql<string>`'[]'`.as('fields'),
          NOW.as('created'),
        ]),
    )
    .execute()

/** Throws 400 if the user has devices, keys, webhooks or the like, or waiting messages. */
async function requireUnusedAccount({ db }: Store, user: string) {
  const { disabled: _, waiting, ...lists } = await loadUserAccess(db, user)
  if (waiting === 0 && Object.values(lists).every(({ total }) => total === 0)) return
  const message =
    'This account has devices, keys, webhooks, hooks, answers, campaigns or messages that wait.'
  throw invalidFields({ member_only: makeFieldError('validation_in_use', message) })
}

/** Tables to clean after a user's deletion, each with the column that orders its locks. */
const OF_USERS = [
  ['sms_turns', 'user'],
  ['_stop_list', 'hash'],
  ['sms_idempotency', 'key'],
  ['auto_answers_sent', 'message'],
  ['line_costs', 'line'],
  ['sms_dispatch', 'message'],
  ['sms_origins', 'ref'],
  ['smsgate_accounts', 'user'],
  ['smsgate_tokens', 'id'],
] as const

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
  const unclaimed = queries(db)
    .selectFrom('sms_dispatch')
    .select('message')
    .where('user', '=', user)
    .where(sql<boolean>`state in ('pending', 'assigned')`)
    .orderBy('message')
    .forUpdate()
  await failUnsent(db, unclaimed, REASONS.canceled)
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
