import type { RateLimit } from '../../data/settings.ts'
import { t, tn } from '../../language/words.ts'

/** Words for known labels of rules. Other labels are shown unchanged. */
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

/** The audiences of rules. */
export const AUDIENCES = [
  ['', t('Everybody')],
  ['@guest', t('Guests')],
  ['@auth', t('Who is signed in')],
] as const

const BY: Readonly<Record<string, string>> = { '@guest': t('by guests'), '@auth': t('by who is signed in') }

/** Words for a rule's label; undefined for an unknown one. */
export const wordsOf = (label: string): string | undefined => LABELS.find(([known]) => known === label)?.[1]

/** A rule's label and audience as plain text. */
export const ruleName = ({ label, audience }: RateLimit): string =>
  `${wordsOf(label) ?? label}${byOf(audience)}`

/** A rule's audience, to be read after its label; '' for all. */
export const byOf = (audience: string): string => (BY[audience] ? ` ${BY[audience]}` : '')

/** How much a rule allows. */
export const rateOf = ({ maxRequests, duration }: RateLimit): string =>
  tn('{maxRequests} in a second', '{maxRequests} in {count} seconds', duration, { maxRequests })
