import type { Extension } from '../../engine/records/collection-extension.ts'
import { fieldError, invalidFields } from '../../platform/errors.ts'
import { checkHours, checking, type Values } from '../lines/hours.ts'
import { keywordsOf } from './keyword-match.ts'

const HOURS = { from: 'hours_from', to: 'hours_to', days: 'days' }

/** Refuses automatic answers that can match no text, have nothing to send or have invalid hours. */
export const autoAnswersExtension: Extension = checking((values, old) => {
  checkAnswer(values)
  checkHours(HOURS, values, old)
})

function checkAnswer({ match, value, body, template }: Values) {
  if (match !== 'any' && keywordsOf(String(value)).length === 0)
    throw invalidFields({ value: fieldError('validation_required', 'Cannot be blank.') })
  if (!body && !template)
    throw invalidFields({ body: fieldError('validation_required', 'A text or a template is needed.') })
}
