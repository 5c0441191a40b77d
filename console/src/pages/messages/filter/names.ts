import { t } from '../../../language/words.ts'

/** The type of a field. It decides which operators and values are suggested. */
export interface Name {
  readonly type: 'text' | 'number' | 'date' | 'bool' | 'choice' | 'json' | 'relation'
  /** For people, beside the name. */
  readonly words: string
  /** The values of a select field. */
  readonly values?: readonly string[]
  /** The collection that a relation leads to. */
  readonly to?: CollectionName
  /** Leads to several records, so that the `?` operators apply. */
  readonly many?: boolean
}

/** Collections that a path from a message can lead through. */
export type CollectionName = 'sms_messages' | 'sms_events' | 'devices' | 'lines' | 'users'

const STATUSES = ['pending', 'assigned', 'sending', 'sent', 'delivered', 'failed', 'received'] as const
const OWN = {
  id: { type: 'text', words: t('its id') },
  created: { type: 'date', words: t('when it was stored') },
} as const
const UPDATED = { updated: { type: 'date', words: t('when it last changed') } } as const

/** The fields that a filter of messages may name, by the collection that has them. */
export const NAMES: Readonly<Record<CollectionName, Readonly<Record<string, Name>>>> = {
  sms_messages: {
    status: { type: 'choice', words: t('where it is in its life'), values: STATUSES },
    to: { type: 'text', words: t('number it goes to') },
    from: { type: 'text', words: t('number it came from') },
    body: { type: 'text', words: t('the text') },
    created: { type: 'date', words: t('when it was accepted or came in') },
    message_type: { type: 'choice', words: t('out or in'), values: ['outgoing', 'incoming'] },
    error_message: { type: 'text', words: t('why it failed') },
    device: { type: 'relation', words: t('the phone or modem'), to: 'devices' },
    segments: { type: 'number', words: t('segments it takes') },
    scheduled_at: { type: 'date', words: t('not to go out before') },
    sent_at: { type: 'date', words: t('when it went out') },
    delivered_at: { type: 'date', words: t('when it arrived') },
    expires_at: { type: 'date', words: t('not to go out after') },
    batch_id: { type: 'text', words: t('the send it was part of') },
    client_ref: { type: 'text', words: t('reference given by the sender') },
    priority: { type: 'number', words: t('higher goes first') },
    sim: { type: 'number', words: t('slot of the SIM') },
    line: { type: 'relation', words: t('its SIM'), to: 'lines' },
    waiting_for: { type: 'choice', words: t('what it waits for'), values: ['room', 'quiet_hours'] },
    guarantee: {
      type: 'choice',
      words: t('what if a phone goes silent'),
      values: ['at_most_once', 'at_least_once'],
    },
    sms_events_via_message: { type: 'relation', words: t('its history'), to: 'sms_events', many: true },
    user: { type: 'relation', words: t('whose message it is'), to: 'users' },
    id: OWN.id,
    ...UPDATED,
  },
  sms_events: {
    status: { type: 'choice', words: t('what it became'), values: STATUSES },
    detail: { type: 'text', words: t('why') },
    attempt: { type: 'number', words: t('which try it was') },
    device: { type: 'relation', words: t('the phone or modem'), to: 'devices' },
    message: { type: 'relation', words: t('the message'), to: 'sms_messages' },
    user: { type: 'relation', words: t('whose message it is'), to: 'users' },
    ...OWN,
  },
  devices: {
    name: { type: 'text', words: t('its name') },
    phone: { type: 'text', words: t('its number') },
    platform: { type: 'choice', words: t('what it is'), values: ['android', 'modem', 'simulator', 'other'] },
    enabled: { type: 'bool', words: t('may send') },
    last_seen: { type: 'date', words: t('when it was last heard of') },
    daily_limit: { type: 'number', words: t('messages a day') },
    per_minute: { type: 'number', words: t('messages a minute') },
    sims: { type: 'json', words: t('its SIM cards') },
    user: { type: 'relation', words: t('whose device it is'), to: 'users' },
    ...OWN,
    ...UPDATED,
  },
  lines: {
    number: { type: 'text', words: t('its number') },
    label: { type: 'text', words: t('what it is called') },
    slot: { type: 'number', words: t('slot of the SIM') },
    carrier: { type: 'text', words: t('its network') },
    enabled: { type: 'bool', words: t('may send') },
    present: { type: 'bool', words: t('is in its device') },
    failing_since: { type: 'date', words: t('since when its texts fail') },
    device: { type: 'relation', words: t('the phone or modem'), to: 'devices' },
    user: { type: 'relation', words: t('whose device it is'), to: 'users' },
    ...OWN,
    ...UPDATED,
  },
  users: {
    email: { type: 'text', words: t('email address') },
    name: { type: 'text', words: t('name') },
    verified: { type: 'bool', words: t('the address is proven') },
    emailVisibility: { type: 'bool', words: t('others may see the address') },
    monthly_quota: { type: 'number', words: t('messages a month') },
    member_only: { type: 'bool', words: t('has no account of their own') },
    ...OWN,
    ...UPDATED,
  },
}

/** Dates and their parts that have names, all in UTC. */
export const MACROS: Readonly<Record<string, string>> = {
  '@todayStart': t('when today began (UTC)'),
  '@yesterday': t('this time yesterday'),
  '@now': t('now'),
  '@monthStart': t('when the month began'),
  '@todayEnd': t('when today ends'),
  '@tomorrow': t('this time tomorrow'),
  '@monthEnd': t('when the month ends'),
  '@yearStart': t('when the year began'),
  '@yearEnd': t('when the year ends'),
  '@year': t('the year, a number'),
  '@month': t('the month, 1 to 12'),
  '@day': t('the day of the month'),
  '@weekday': t('the day of the week, 0 is Sunday'),
  '@hour': t('the hour, 0 to 23'),
  '@minute': t('the minute'),
  '@second': t('the second'),
}

/** Those that are numbers, not dates. */
export const NUMBER_MACROS: ReadonlySet<string> = new Set([
  '@year',
  '@month',
  '@day',
  '@weekday',
  '@hour',
  '@minute',
  '@second',
])

/** Names of functions. */
export const FUNCTIONS: ReadonlySet<string> = new Set(['strftime', 'geoDistance'])
/** Words that are values. */
export const CONSTANTS: ReadonlySet<string> = new Set(['true', 'false', 'null'])
const MODIFIERS = new Set(['length', 'each', 'lower', 'isset', 'changed'])

/** What a dotted path leads to. */
export interface Found {
  readonly name: Name
  /** True if a step of the path leads to several records. */
  readonly many: boolean
}

/**
 * Follows a path from a message: `device.name`, `sms_events_via_message.status`. The first part that is no
 * field is `wrong`.
 */
export function follow(path: string): Found | { wrong: string; at: number; in: CollectionName } {
  const [bare = '', modifier] = path.split(':')
  const parts = bare.split('.')
  let collection: CollectionName = 'sms_messages'
  let many = false
  for (const [i, part] of parts.entries()) {
    const name: Name | undefined = fieldOf(collection, part)
    const at = parts.slice(0, i).join('.').length + (i > 0 ? 1 : 0)
    if (!name) return { wrong: part, at, in: collection }
    many ||= name.many ?? false
    const isLast = i === parts.length - 1
    if (!isLast && name.type === 'json') return { name: { type: 'json', words: '' }, many }
    if (isLast && modifier !== undefined && !MODIFIERS.has(modifier))
      return { wrong: `:${modifier}`, at: bare.length, in: collection }
    if (isLast) return { name: modifier === 'length' ? { ...name, type: 'number' } : name, many }
    if (!name.to) return { wrong: parts.slice(i).join('.'), at, in: collection }
    collection = name.to
  }
  return { wrong: bare, at: 0, in: collection }
}

const fieldOf = (collection: CollectionName, name: string): Name | undefined =>
  Object.hasOwn(NAMES[collection], name) ? NAMES[collection][name] : undefined
