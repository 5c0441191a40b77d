import type { Choices } from '../../../data/choices.ts'
import { devices, lines, sms_events, sms_messages, users } from '../../../data/collections.ts'
import { parseLocalTime } from '../../../data/text/local-time.ts'
import { MESSAGE_STATES } from '../../../data/words/message-states.ts'
import { t } from '../../../language/words.ts'

interface Field {
  readonly type: string
  readonly values?: readonly string[]
}

/**
 * Beginnings of filter paths, with the collection to which each leads: `device.name` is a field of devices.
 */
const RELATED = {
  '': sms_messages,
  'device.': devices,
  'line.': lines,
  'user.': users,
  'sms_events_via_message.': sms_events,
} as const

/** The fields that the form offers, as paths from a message. A typed filter may use other fields, too. */
export const FIELDS = [
  ['status', t('State')],
  ['sms_events_via_message.status', t('Any state that it had')],
  ['message_type', t('Direction')],
  ['to', t('To')],
  ['from', t('From')],
  ['body', t('Text')],
  ['error_message', t('Why it failed')],
  ['created', t('Accepted or received')],
  ['scheduled_at', t('Scheduled for')],
  ['sent_at', t('Sent')],
  ['delivered_at', t('Delivered')],
  ['expires_at', t('Expires')],
  ['segments', t('Segments')],
  ['priority', t('Priority')],
  ['client_ref', t('Reference')],
  ['batch_id', t('Id of the send')],
  ['waiting_for', t('Waiting for')],
  ['device.name', t('Name of the device')],
  ['line.label', t('Label of the line')],
  ['user.email', t('Email of the user')],
] as const
export type Path = (typeof FIELDS)[number][0]

export function findFieldAt(path: Path): Field {
  const [, relation = '', name = ''] = /^(.+\.)?(\w+)$/.exec(path)!
  const fields: Readonly<Record<string, Field>> = RELATED[relation as keyof typeof RELATED]
  return fields[name]!
}

const EQUAL = [
  ['=', t('is')],
  ['!=', t('is not')],
] as const
/** Operators by type of field. One that ends in `""` needs no value to compare with. */
const SIGNS: Readonly<Record<string, Choices>> = {
  text: [['~', t('contains')], ['!~', t('does not contain')], ...EQUAL],
  number: [
    ...EQUAL,
    ['>', t('more than')],
    ['>=', t('at least')],
    ['<', t('less than')],
    ['<=', t('at most')],
  ],
  date: [
    ['>=', t('at or after')],
    ['<', t('before')],
    ['= ""', t('is not set')],
    ['!= ""', t('is set')],
  ],
}

/** The operators of a field. With `?` in front, one match among several related records is enough. */
export const listSigns = (path: Path) => {
  const { type } = findFieldAt(path)
  const signs = SIGNS[type === 'autodate' ? 'date' : type === 'email' ? 'text' : type] ?? EQUAL
  return path.includes('_via_') ? signs.map(([sign, words]) => [`?${sign}`, words] as const) : signs
}

const WORDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(MESSAGE_STATES).map(([state, [, words]]) => [state, words])),
  // a condition on the field finds all `pending` texts, also due ones
  pending: t('Scheduled or waiting'),
  assigned: t('Waits for a device'),
  outgoing: t('Outgoing'),
  incoming: t('Incoming'),
  room: t('room on a line'),
  quiet_hours: t('the end of quiet hours'),
}

/** The values of a select field, with words for people; undefined for other fields. */
export const readValues = (path: Path) =>
  findFieldAt(path).values?.map((value) => [value, WORDS[value] ?? value] as const)

/** Adds a condition to a filter with `&&`. A date is local time, as a datetime-local input gives it. */
export function addCondition(filter: string, path: Path, sign: string, value: string): string {
  const condition = `${path} ${sign}${sign.endsWith('""') ? '' : ` ${writeLiteral(findFieldAt(path).type, value)}`}`
  if (filter.trim() === '') return condition
  return `${filter.includes('||') ? `(${filter.trim()})` : filter.trim()} && ${condition}`
}

function writeLiteral(type: string, value: string): string {
  if (type === 'number') return String(Number(value))
  const text = type.endsWith('date') ? parseLocalTime(value).replace('T', ' ') : value
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
