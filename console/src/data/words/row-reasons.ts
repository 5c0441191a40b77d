import { t } from '../../language/words.ts'
import { translateFault } from './fault-sentences.ts'
import { translateFailureReason } from './message-states.ts'

const REASONS: Readonly<Record<string, string>> = {
  'No number': t('No number'),
  'Not a phone number': t('Not a phone number'),
  'No calling code and no country': t('No calling code and no country'),
  'More cells than titles': t('More cells than titles'),
  'The text is too long': t('The text is too long'),
  'The text is empty': t('The text is empty'),
  'The date has passed': t('The date has passed'),
  'More than 24 hours late': t('More than 24 hours late'),
  'The date has no time': t('The date has no time'),
  'No valid phone number': t('No valid phone number'),
  'The record was changed': t('The record was changed'),
  'The record was deleted or is not shown any more': t(
    'The record was deleted or is not shown any more',
  ),
}

/** Why a row of a list, or a record of a reminder, gets no text, in the person's language. */
export function translateRowReason(reason: string): string {
  const own = REASONS[reason]
  if (own) return own
  const [, name] = /^(?:No value|Missing variable): (.*?)\.?$/s.exec(reason) ?? []
  if (name) return t('Nothing in “{column}”', { column: name })
  const [, row] = /^The same text as line (\d+)$/.exec(reason) ?? []
  if (row) return t('The same text to the same number as in row {row}', { row })
  const translated = translateFailureReason(reason)
  return translated === reason ? translateFault(reason) : translated
}
