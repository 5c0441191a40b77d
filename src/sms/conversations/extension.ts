import { now } from '../../fields/types/date.ts'
import type { Extension } from '../../records/extension.ts'

/** The fields that texts and contacts keep; a client's value for them does not count. */
export const SET_BY_SERVER = [
  'name',
  'last_text',
  'last_at',
  'last_type',
  'last_message',
  'device',
  'unanswered',
] as const

const LAST = 'select id, body, at, type, device, name from sms_conversation_last($1, $2)'

/**
 * A client starts a conversation with a number; earlier texts fill it. From then on texts keep it: incoming
 * ones by HEARD_CTES, outgoing ones by sql/functions/sms/sms_conversation_answered.sql. The updateRule says
 * what clients may change.
 */
export const conversationsExtension: Extension = {
  async beforeCreate({ db }, values) {
    const { rows } = await db.query(LAST, [values.user, values.number], 'conversation last')
    const [last_message, last_text, at, last_type, device, name] = rows[0]!.map(String)
    Object.assign(values, { name, last_text, last_at: at || now(), last_type, last_message, device })
    Object.assign(values, { unread: 0, unanswered: last_type === 'incoming', archived: false })
    return {}
  },
}
