import type { Fault } from '../../data/fault.ts'
import { t } from '../../language/words.ts'

/** Shows the server's error beside its field. */
const PLACES: readonly (readonly [said: RegExp, place: string])[] = [
  [/^(recipients|group_ids)/, 'to'],
  [/^body/, 'text'],
  [/^(template_id|variables|Template )/, 'template'],
  [/^scheduled_at/, 'at'],
  [/^(expires_at|ttl)/, 'giveUp'],
  [/^priority/, 'priority'],
]

const OF_CODES: Readonly<Record<string, readonly [place: string, words: string]>> = {
  invalid_phone_number: ['to', t('One of the numbers is not right.')],
  group_not_found: ['to', t('One of the groups does not exist any more. Remove it.')],
  device_not_found: ['device', t('This device does not exist any more. Choose another.')],
  line_not_found: ['device', t('This line does not exist any more. Choose another.')],
}
const PLACE_OF_CODES: Readonly<Record<string, string>> = {
  too_many_recipients: 'to',
  body_too_long: 'text',
}

/** A refusal of the server, with its message moved to the field that it concerns, if any. */
export function placeFault(fault: Fault): Fault {
  const { code, message } = fault
  const at = (place: string, words: string): Fault => ({ ...fault, fields: { [place]: words } })
  const known = OF_CODES[code]
  if (known) return at(...known)
  const place = PLACE_OF_CODES[code]
  if (place) return at(place, message)
  const missing = /^Missing variable: (.*)\.$/.exec(message)?.[1]
  if (missing) return at(`variable ${missing}`, t('This has no value yet.'))
  const said = PLACES.find(([words]) => words.test(message))
  return said ? at(said[1], message) : fault
}
