import type { Store } from '../../collections/catalog.ts'
import { badRequest, fieldError } from '../../errors.ts'
import type { Value } from '../../fields/field.ts'
import { now } from '../../fields/types/date.ts'
import type { Extension } from '../../records/extension.ts'

/** The fields that texts and contacts keep; a client's value for them does not count. */
const SET_BY_SERVER = [
  'name',
  'last_text',
  'last_at',
  'last_type',
  'last_message',
  'device',
  'unanswered',
] as const

const LAST = 'select id, body, at, type, device, name from sms_conversation_last($1, $2)'

/** A client starts a conversation. HEARD_CTES and sms_conversation_answered keep it up to date. */
export const conversationsExtension: Extension = {
  setByServer: SET_BY_SERVER,
  async beforeCreate(store, values) {
    await checkLine(store, 'Failed to create record.', values)
    const { rows } = await store.db.query(LAST, [values.user, values.number], 'conversation last')
    const [last_message, last_text, at, last_type, device, name] = rows[0]!.map(String)
    Object.assign(values, { name, last_text, last_at: at || now(), last_type, last_message, device })
    Object.assign(values, { unread: 0, unanswered: last_type === 'incoming', archived: false })
    return {}
  },
  async beforeUpdate(store, values, old) {
    if (values.line !== old.line) await checkLine(store, 'Failed to update record.', values)
    return {}
  },
}

const OWN_LINE = 'select 1 from lines l where l.id = $1 and l."user" = $2'

/** Throws 400 for a line of another user. */
async function checkLine(
  { db }: Store,
  failure: string,
  { line, user }: Readonly<Record<string, Value>>,
): Promise<void> {
  if (!line) return
  const { rows } = await db.query(OWN_LINE, [line, user], 'conversation line')
  if (!rows[0]) throw badRequest(failure, { line: NOT_OWN })
}

const NOT_OWN = fieldError('validation_invalid_line', 'Must be a line of the user.')
