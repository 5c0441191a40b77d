import { MAX_TEXT_CHARACTERS } from '#portable/max-text-characters.ts'
import type { Fault } from '../../data/fault.ts'
import { findTimeFault } from '../../data/text/local-time.ts'
import { CHOOSE_AGAIN } from '../../data/use/chosen-files.ts'
import { t } from '../../language/words.ts'
import { type Composition, readFilter } from './composition.ts'

/**
 * Errors of a text by form field; empty if the text can be sent.
 * @param missing variables for which a contact has no value and the text has no default.
 * @param lost files to choose again.
 */
export function findFaults(
  composition: Composition,
  missing: readonly string[],
  nowMs: number,
  hasFiles = false,
  lost: readonly string[] = [],
): Record<string, string> {
  const { recipients, groups, kind, text, template } = composition
  const faults: Record<string, string> = {}
  if (recipients.some(({ fault }) => fault))
    faults.to = t('Some numbers are not right: correct or remove them.')
  else if (recipients.length === 0 && groups.length === 0 && !readFilter(composition))
    faults.to = t('Who is it for? Add a number, a contact or a group.')
  if (kind === 'text' && text === '' && !hasFiles) faults.text = t('Write a text first.')
  if (kind === 'text' && [...text].length > MAX_TEXT_CHARACTERS)
    faults.text = t('A text has at most {max} characters.', { max: MAX_TEXT_CHARACTERS })
  if (kind === 'template' && template === '') faults.template = t('Choose a template.')
  if (lost.length > 0) faults.files = CHOOSE_AGAIN
  for (const name of missing)
    if (!composition.variables[name]) faults[`variable ${name}`] = t('This has no value yet.')
  return { ...faults, ...findTimeFault(composition, '', nowMs) }
}

/** Beginnings of the server's error messages, with the form field that each concerns. */
const PLACES: readonly (readonly [said: RegExp, place: string])[] = [
  [/^(recipients|group_ids)/i, 'to'],
  [/^filter/i, 'filter'],
  [/^body/i, 'text'],
  [/^(template_id|variables|Template )/i, 'template'],
  [/^scheduled_at/i, 'at'],
  [/^(expires_at|ttl)/i, 'giveUp'],
  [/^priority/i, 'priority'],
  [/^repeat/i, 'cron'],
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

/** Turns a server's error about a form field into an error of that field. Returns others unchanged. */
export function placeFault(fault: Fault): Fault {
  const { code, message, said = message } = fault
  const at = (place: string, words: string): Fault => ({ ...fault, fields: { [place]: words } })
  const known = OF_CODES[code]
  if (known) return at(...known)
  const place = PLACE_OF_CODES[code]
  if (place) return at(place, message)
  const missing = /^Missing variable: (.*)\.$/.exec(said)?.[1]
  if (missing) return at(`variable ${missing}`, t('This has no value yet.'))
  const found = PLACES.find(([words]) => words.test(said))
  return found ? at(found[1], message) : fault
}
