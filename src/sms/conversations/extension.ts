import type { Store } from '../../collections/catalog.ts'
import { badRequest, fieldError } from '../../errors.ts'
import { now } from '../../fields/types/date.ts'
import type { Extension } from '../../records/extension.ts'
import { checkTimeZone, type Values } from '../hours.ts'
import { checkAssignee } from './assign.ts'
import { queuePushes } from './incoming-texts.ts'

const [NOT_CREATED, NOT_UPDATED] = ['Failed to create record.', 'Failed to update record.']

const LAST = `
select l.id, l.body, l.at, l.type, l.device, l.name, coalesce((select m.sent_by from sms_messages m where m.id = l.id), '')
from sms_conversation_last($1, $2) l`

/** Conversations. Clients create them; INCOMING_TEXT_CTES and sms_conversation_answered update them. */
export const conversationsExtension: Extension = {
  // set from texts, contacts and assignments
  setByServer: [
    ...['name', 'last_text', 'last_at', 'last_type', 'last_message', 'last_sender'],
    ...['device', 'unanswered', 'assigned_at'],
  ],
  async beforeCreate(store, values) {
    await checkLine(store, NOT_CREATED, values)
    await checkAssignee(store, NOT_CREATED, values)
    const { rows } = await store.db.query(LAST, [values.user, values.number], 'conversation last')
    const [last_message, last_text, at, last_type, device, name, last_sender] = rows[0]!.map(String)
    Object.assign(values, {
      name,
      last_text,
      last_at: at || now(),
      last_type,
      last_message,
      last_sender,
      device,
      unread: 0,
      unanswered: last_type === 'incoming',
      archived: false,
      assigned_at: values.assignee ? now() : '',
      ...(values.blocked && BLOCKED),
    })
  },
  async beforeUpdate(store, values, old) {
    const { assigned_at, last_sender } = old
    Object.assign(values, { assigned_at, last_sender }, values.blocked && BLOCKED)
    if (values.line !== old.line) await checkLine(store, NOT_UPDATED, values)
    if (values.assignee === old.assignee) return
    await checkAssignee(store, NOT_UPDATED, values)
    values.assigned_at = values.assignee ? now() : ''
  },
}

/** A blocked conversation needs no answer: nothing in it is unread or due. */
const BLOCKED = { unread: 0, unanswered: false, follow_up_at: '' }

const OWN_LINE = 'select 1 from lines l where l.id = $1 and l."user" = $2'
const NOT_OWN = fieldError('validation_invalid_line', 'Must be a line of the user.')

/** Throws 400 for a line of another user. */
async function checkLine({ db }: Store, failure: string, { line, user }: Values): Promise<void> {
  if (!line) return
  const { rows } = await db.query(OWN_LINE, [line, user], 'conversation line')
  if (!rows[0]) throw badRequest(failure, { line: NOT_OWN })
}

/** Notes. The author is the caller. A mention notifies once. Agents change only their own notes. */
export const notesExtension: Extension = {
  setByServer: ['author'],
  writeRule: (auth) => (auth?.actor && auth.actor.role !== 'admin' ? `author = "${auth.actor.id}"` : ''),
  async beforeCreate(store, values, { auth }) {
    if (auth && !auth.isSuperuser) values.author = auth.sender
    await announceMentions(store, values, [])
    return undefined
  },
  async beforeUpdate(store, values, old) {
    await announceMentions(store, values, old.mentions as readonly string[])
  },
}

/** Drafts of answers. The author is the caller, who alone changes them; the send deletes them. */
export const draftsExtension: Extension = {
  setByServer: ['author'],
  writeRule: (auth) => (auth && !auth.isSuperuser ? `author = "${auth.sender}"` : ''),
  async beforeCreate(_store, values, { auth }) {
    if (auth && !auth.isSuperuser) values.author = auth.sender
    return undefined
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
export const contactsExtension: Extension = {
  async beforeCreate(_store, values) {
    checkTimeZone(values, NOT_CREATED)
  },
  async beforeUpdate(_store, values, old) {
    checkTimeZone(values, NOT_UPDATED, old)
  },
}
