import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { formatNow } from '../../engine/fields/parse-date.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { requireOwnRecord } from '../../engine/records/require-own.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { completeNumber } from '../base/complete-numbers.ts'
import { type CheckedValues, checkHours } from '../lines/check-zones-and-hours.ts'
import { checkAssignee } from './assign-conversations.ts'
import { splitKeywords } from './keyword-match.ts'

const HOURS = { from: 'hours_from', to: 'hours_to', days: 'days' }

/** Refuses automatic answers that can match no text, have nothing to send or have invalid hours. */
export const autoAnswersExtension: Extension = {
  check: (values) => checkAnswer(values),
  async beforeCreate(store, values) {
    checkAnswer(values)
    await requireOwnRecord(store, 'label', values)
    return undefined
  },
  async beforeUpdate(store, values, old) {
    checkAnswer(values, old)
    await requireOwnRecord(store, 'label', values, old)
  },
}

function checkAnswer(values: CheckedValues, old?: CheckedValues) {
  const { match, value, body, template } = values
  if (match !== 'any' && splitKeywords(String(value)).length === 0)
    throw invalidFields({ value: makeFieldError('validation_required', 'Cannot be blank.') })
  if (!body && !template && !isLeftEmpty(values, old))
    throw invalidFields({
      body: makeFieldError('validation_required', 'A text or a template is needed.'),
    })
  checkHours(HOURS, values, old)
}

/** Whether an answer whose template was deleted is being disabled, or stays disabled. */
const isLeftEmpty = ({ enabled }: CheckedValues, old?: CheckedValues) =>
  !enabled && old !== undefined && !old.body && !old.template

type LastFields = Record<'id' | 'body' | 'at' | 'type' | 'device' | 'name', string>

/** The fields of a conversation that its last message decides. */
const loadLastText = (db: Db, user: string, number: string) =>
  queries(db)
    .selectFrom(sql<LastFields>`sms_conversation_last(${user}, ${number})`.as('l'))
    .leftJoin('sms_messages as m', 'm.id', 'l.id')
    .select([
      'l.id as last_message',
      'l.body as last_text',
      'l.at as last_at',
      'l.type as last_type',
    ])
    .select([
      'l.device',
      'l.name',
      ({ fn }) => fn.coalesce('m.sent_by', sql.lit('')).as('last_sender'),
    ])
    .select(
      sql<string>`case when m.status = 'failed' then sms_failure(m.error_message, m.sent_at) else '' end`.as(
        'failure',
      ),
    )
    .executeTakeFirstOrThrow()

/** Rules of conversations. Clients may create them; the server updates them with each text. */
export const conversationsExtension: Extension = {
  // the server sets these from texts, contacts and assignments
  setByServer: [
    'name',
    'last_text',
    'last_at',
    'last_type',
    'last_message',
    'last_sender',
    'device',
    'unanswered',
    'assigned_at',
    'failure',
    'asked_at',
  ],
  async beforeCreate(store, values) {
    await completeNumber(store, values, 'number')
    await requireOwnRecord(store, 'line', values)
    await requireOwnRecord(store, 'labels', values)
    await checkAssignee(store, values)
    const last = await loadLastText(store.db, String(values.user), String(values.number))
    Object.assign(values, last, {
      last_at: last.last_at || formatNow(),
      unread: 0,
      unanswered: last.last_type === 'incoming',
      archived: false,
      assigned_at: values.assignee ? formatNow() : '',
      ...(values.blocked && BLOCKED),
    })
  },
  async beforeUpdate(store, values, old) {
    const { assigned_at, last_sender, failure, asked_at } = old
    Object.assign(
      values,
      { assigned_at, last_sender, failure, asked_at },
      values.blocked && BLOCKED,
    )
    await requireOwnRecord(store, 'line', values, old)
    await requireOwnRecord(store, 'labels', values, old)
    if (values.assignee === old.assignee) return
    await checkAssignee(store, values)
    values.assigned_at = values.assignee ? formatNow() : ''
  },
}

/** Values of a conversation when it is blocked: it needs no answer, so nothing is unread or due. */
const BLOCKED = { unread: 0, unanswered: false, follow_up_at: '' }

/** Rules of notes. The author is the caller. A mention notifies once. Agents change only their own notes. */
export const notesExtension: Extension = {
  setByServer: ['author'],
  writeRule: (auth) =>
    auth?.actor && auth.actor.role !== 'admin' ? `author = "${auth.actor.id}"` : '',
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

async function announceMentions({ db }: Store, values: CheckedValues, known: readonly string[]) {
  const { user, conversation, author } = values
  const mentions = (values.mentions as readonly string[]).filter(
    (one) => one !== author && !known.includes(one),
  )
  if (mentions.length === 0) return
  const items = mentions.map((person) => `${conversation}@${person}`)
  await callFunction(db, 'push_queue', String(user), items)
}
