import type { RateLimit } from '../../data/settings.ts'

/** Labels of rules that have words of their own; any other stands as it is written. */
export const LABELS = [
  ['/api/', 'All requests'],
  ['*:auth', 'Signing in'],
  ['/api/sms/', 'Sending, and all below /api/sms/'],
  ['*:list', 'Lists of records'],
  ['*:create', 'New records'],
  ['*:update', 'Changes of records'],
  ['*:file', 'Files'],
  ['/api/batch', 'Batches of requests'],
  ['/api/devices/', 'What devices ask'],
] as const

/** Whom a rule is for. */
export const AUDIENCES = [
  ['', 'Everybody'],
  ['@guest', 'Guests'],
  ['@auth', 'Who is signed in'],
] as const

const BY: Readonly<Record<string, string>> = { '@guest': ' by guests', '@auth': ' by who is signed in' }

/** What a rule is about: words for what they know, else undefined. */
export const wordsOf = (label: string): string | undefined => LABELS.find(([known]) => known === label)?.[1]

/** What a rule is about and whom it is for, as plain text. */
export const ruleName = ({ label, audience }: RateLimit): string =>
  `${wordsOf(label) ?? label}${byOf(audience)}`

/** Whom a rule is for, to be read after what it is about; nothing if for all. */
export const byOf = (audience: string): string => BY[audience] ?? ''

/** How much a rule allows. */
export const rateOf = ({ maxRequests, duration }: RateLimit): string =>
  `${maxRequests.toLocaleString()} in ${duration === 1 ? 'a second' : `${duration.toLocaleString()} seconds`}`
