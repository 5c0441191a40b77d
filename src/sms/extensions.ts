import type { Store } from '../collections/catalog.ts'
import { runForRow, statement, text } from '../db/statement.ts'
import { now } from '../fields/date.ts'
import type { Extension } from '../records/extension.ts'
import { requireOwn } from '../records/own.ts'
import { completeNumber } from './complete-numbers.ts'
import { checkAssignee, clearLastTexts, queuePushes } from './conversations/inbox.ts'
import { checking, checkTimeZone, type Values } from './hours.ts'
import { cancelWaiting } from './queue/cancel.ts'
import { may } from './send/judge.ts'
import { accountSender } from './send/sender.ts'
import { logChanged } from './status.ts'
import { refundQuota, totalSql } from './usage.ts'
import { notifyCanceled } from './wake.ts'

/** A deleted row of the queue: message, user, period, state, device, attempt. */
type Freed = [string, string, string, string, string, number]

/** Rules of messages. Deleting an unclaimed message cancels and refunds it. */
export const messagesExtension: Extension = {
  maxPerPage: 500,
  total: { by: 'user', sql: totalSql },
  search: { order: 'created', owner: 'user' },
  covering: {
    table: 'sms_messages_brief',
    columns: ['user', 'status', 'message_type', 'created'],
    indexes: [
      ['user', 'status', 'created'],
      ['status', 'created'],
    ],
  },
  authRequired: true,
  async afterDelete(store, ids) {
    // `skip locked`: waiting for rows that a claim has locked could deadlock
    const { rows } = await store.db.query(
      `delete from sms_dispatch where message in
        (select message from sms_dispatch where message = any($1) for update skip locked)
      returning message, "user", period, state, device, attempt`,
      [ids],
      'sms forget messages',
    )
    const freed = rows as Freed[]
    const unsent = freed.filter(([, , , state]) => state !== 'sending')
    for (const same of Map.groupBy(unsent, ([, user, period]) => `${user} ${period}`).values())
      await refundQuota(store, same[0]![1], same[0]![2], same.length)
    for (const [message, , , , device, attempt] of freed)
      if (device) await notifyCanceled(store.db, device, message, attempt)
    await logChanged(store, 'conversations', 'update', await clearLastTexts(store.db, ids))
  },
}

/**
 * Rules of templates. Who may not write automatic answers may not change what they say: agents cannot change
 * or delete the template of one.
 */
export const templatesExtension: Extension = {
  readsStrictly: true,
  writeRule: (auth) => (auth?.limits === 'agent' ? `auto_answers_via_template.id = ''` : ''),
}

/** Rules of events. One that a superuser adds changes no message, so it causes no webhook calls. */
export const eventsExtension: Extension = {
  async beforeCreate({ db }) {
    await db.query(`select set_config('pocketsms.added', 'yes', true)`, [], 'sms event added')
  },
}

/** Locks campaigns before messages, as a pause does. Skips ended, settled ones: they have none waiting. */
const UNFINISHED = `
select c."user", c.id, batch from campaigns c
cross join lateral (select json_array_elements_text(c.batches) union select c.former_batch) b(batch)
where c.id = any($1::text[]) and batch <> '' and not (c.settled and c.status in ('done', 'canceled', 'failed'))
order by c.id for update of c`

/** Rules of campaigns. Deleting a campaign cancels its waiting messages. */
export const campaignsExtension: Extension = {
  readsStrictly: true,
  async beforeDelete(store, ids) {
    const { rows } = await store.db.query(UNFINISHED, [ids])
    for (const [user, id, batch] of rows as [string, string, string][])
      await cancelWaiting(store, may(accountSender(user, id), 'cancel'), batch)
  },
}

/** Gives a device's new number to its line, if the device has only one line. */
const RENUMBER = `
with changed as (
  update lines l set number = $3, updated = pb_text(now())
  where l.device = $1 and l.number = $2 and not exists (
    select from lines o where o.device = $1 and o.id <> l.id)
  returning l.id
)
select sms_lines_changed('update', array_agg(id)) from changed having count(*) > 0`

/** Rules of devices. Clients cannot set `last_seen`; only superusers may change `platform`. */
export const devicesExtension: Extension = {
  grantsAccess: true,
  setByServer: ['last_seen'],
  async beforeCreate(store, values) {
    await completeNumber(store, values, 'phone')
    values.last_seen = ''
  },
  async beforeUpdate(store, values, old, { auth }) {
    const { db } = store
    await completeNumber(store, values, 'phone', old)
    values.last_seen = old.last_seen!
    if (!auth?.isSuperuser) values.platform = old.platform!
    if (values.phone !== old.phone)
      await db.query(RENUMBER, [old.id, old.phone, values.phone], 'sms renumber line')
  },
}

const LAST = statement('conversation last', {
  ...{ last_message: 'string', last_text: 'string', last_at: 'string', last_type: 'string' },
  ...{ device: 'string', name: 'string', last_sender: 'string' },
})`
select l.id as last_message, l.body as last_text, l.at as last_at, l.type as last_type, l.device, l.name,
  coalesce((select m.sent_by from sms_messages m where m.id = l.id), '') as last_sender
from sms_conversation_last(${text('user')}, ${text('number')}) l`

/** Rules of conversations. Clients may create them; the server updates them with each text. */
export const conversationsExtension: Extension = {
  // the server sets these from texts, contacts and assignments
  setByServer: [
    ...['name', 'last_text', 'last_at', 'last_type', 'last_message', 'last_sender'],
    ...['device', 'unanswered', 'assigned_at'],
  ],
  async beforeCreate(store, values) {
    await completeNumber(store, values, 'number')
    await requireOwn(store, 'line', values)
    await checkAssignee(store, values)
    const given = { user: String(values.user), number: String(values.number) }
    const last = (await runForRow(store.db, LAST, given))!
    Object.assign(values, last, {
      last_at: last.last_at || now(),
      unread: 0,
      unanswered: last.last_type === 'incoming',
      archived: false,
      assigned_at: values.assignee ? now() : '',
      ...(values.blocked && BLOCKED),
    })
  },
  async beforeUpdate(store, values, old) {
    const { assigned_at, last_sender } = old
    Object.assign(values, { assigned_at, last_sender }, values.blocked && BLOCKED)
    await requireOwn(store, 'line', values, old)
    if (values.assignee === old.assignee) return
    await checkAssignee(store, values)
    values.assigned_at = values.assignee ? now() : ''
  },
}

/** Values of a conversation when it is blocked: it needs no answer, so nothing is unread or due. */
const BLOCKED = { unread: 0, unanswered: false, follow_up_at: '' }

/** Rules of notes. The author is the caller. A mention notifies once. Agents change only their own notes. */
export const notesExtension: Extension = {
  setByServer: ['author'],
  writeRule: (auth) => (auth?.actor && auth.actor.role !== 'admin' ? `author = "${auth.actor.id}"` : ''),
  async beforeCreate(store, values, { auth }) {
    if (auth && !auth.isSuperuser) values.author = auth.sender
    await announceMentions(store, values, [])
  },
  async beforeUpdate(store, values, old) {
    await announceMentions(store, values, old.mentions as readonly string[])
  },
}

/** Rules of drafts. The author is the caller; only the author may change a draft. Sent drafts are deleted. */
export const draftsExtension: Extension = {
  setByServer: ['author'],
  writeRule: (auth) => (auth && !auth.isSuperuser ? `author = "${auth.sender}"` : ''),
  async beforeCreate(_store, values, { auth }) {
    if (auth && !auth.isSuperuser) values.author = auth.sender
  },
}

const MENTION = queuePushes('select $1 as "user", $2 || \'@\' || m as id from unnest($3::text[]) m')

async function announceMentions({ db }: Store, values: Values, known: readonly string[]) {
  const { user, conversation, author } = values
  const mentions = (values.mentions as readonly string[]).filter(
    (one) => one !== author && !known.includes(one),
  )
  if (mentions.length > 0) await db.query(MENTION, [user, conversation, mentions], 'note mentions')
}

/**
 * Rules of contacts: known time zones. Some installations have no field of a time zone. The field's pattern
 * alone checks the number, as in PocketBase.
 */
export const contactsExtension: Extension = checking(checkTimeZone)

/** Rules of lines (SIMs). */
export const linesExtension: Extension = {
  keepsReferences: true,
  async beforeCreate(store, values) {
    await completeNumber(store, values, 'number')
    return undefined
  },
  async beforeUpdate(store, values, old) {
    await completeNumber(store, values, 'number', old)
  },
}
