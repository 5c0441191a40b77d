import type { RateLimit } from '../../data/settings.ts'
import { t, tn } from '../../language/words.ts'

/** Labels of rules that have words of their own; any other stands as it is written. */
export const LABELS = [
  ['/api/', t('All requests')],
  ['*:auth', t('Signing in')],
  ['/api/sms/', t('Sending, and all below /api/sms/')],
  ['*:list', t('Lists of records')],
  ['*:create', t('New records')],
  ['*:update', t('Changes of records')],
  ['*:file', t('Files')],
  ['/api/batch', t('Batches of requests')],
  ['/api/devices/', t('What devices ask')],
] as const

/** Whom a rule is for. */
export const AUDIENCES = [
  ['', t('Everybody')],
  ['@guest', t('Guests')],
  ['@auth', t('Who is signed in')],
] as const

const BY: Readonly<Record<string, string>> = { '@guest': t('by guests'), '@auth': t('by who is signed in') }

/** What a rule is about: words for what they know, else undefined. */
export const wordsOf = (label: string): string | undefined => LABELS.find(([known]) => known === label)?.[1]

/** What a rule is about and whom it is for, as plain text. */
export const ruleName = ({ label, audience }: RateLimit): string =>
  `${wordsOf(label) ?? label}${byOf(audience)}`

/** Whom a rule is for, to be read after what it is about; nothing if for all. */
export const byOf = (audience: string): string => (BY[audience] ? ` ${BY[audience]}` : '')

/** How much a rule allows. */
export const rateOf = ({ maxRequests, duration }: RateLimit): string =>
  tn('{maxRequests} in a second', '{maxRequests} in {count} seconds', duration, { maxRequests })
