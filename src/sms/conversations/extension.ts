import type { Store } from '../../collections/catalog.ts'
import { runForRow, statement, text } from '../../db/statement.ts'
import { now } from '../../fields/date.ts'
import type { Extension } from '../../records/extension.ts'
import { requireOwn } from '../../records/own.ts'
import { checking, checkTimeZone, type Values } from '../hours.ts'
import { checkAssignee } from './assign.ts'
import { queuePushes } from './incoming-texts.ts'

const LAST = statement('conversation last', {
  ...{ last_message: 'string', last_text: 'string', last_at: 'string', last_type: 'string' },
  ...{ device: 'string', name: 'string', last_sender: 'string' },
})`
select l.id as last_message, l.body as last_text, l.at as last_at, l.type as last_type, l.device, l.name,
  coalesce((select m.sent_by from sms_messages m where m.id = l.id), '') as last_sender
from sms_conversation_last(${text('user')}, ${text('number')}) l`

/** Conversations. Clients may create them; INCOMING_TEXT_CTES and sms_conversation_answered update them. */
export const conversationsExtension: Extension = {
  // the server sets these from texts, contacts and assignments
  setByServer: [
    ...['name', 'last_text', 'last_at', 'last_type', 'last_message', 'last_sender'],
    ...['device', 'unanswered', 'assigned_at'],
  ],
  async beforeCreate(store, values) {
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

/** Notes. The author is the caller. Each mention notifies once. Agents may change only their own notes. */
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

/** Drafts of answers. The author is the caller; only the author may change a draft. A send deletes it. */
export const draftsExtension: Extension = {
  setByServer: ['author'],
  writeRule: (auth) => (auth && !auth.isSuperuser ? `author = "${auth.sender}"` : ''),
  async beforeCreate(_store, values, { auth }) {
    if (auth && !auth.isSuperuser) values.author = auth.sender
  },
}

const MENTION = queuePushes('select $1 as "user", $2 || \'@\' || m as id from unnest($3::text[]) m')

async function announceMentions({ db }: Store, values: Values, known: readonly string[]): Promise<void> {
  const { user, conversation, author } = values
  const mentions = (values.mentions as readonly string[]).filter(
    (one) => one !== author && !known.includes(one),
  )
  if (mentions.length > 0) await db.query(MENTION, [user, conversation, mentions], 'note mentions')
}

/** Contacts. Checks the time zone's name. An installation may lack the field. */
export const contactsExtension: Extension = checking(checkTimeZone)
