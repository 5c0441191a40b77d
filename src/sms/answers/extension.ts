import { badRequest, fieldError } from '../../errors.ts'
import type { Value } from '../../fields/field.ts'
import type { Extension } from '../../records/extension.ts'
import { checkHours } from '../hours-fields.ts'
import { keywordsOf } from './match.ts'

type Values = Readonly<Record<string, Value>>

const HOURS = { from: 'hours_from', to: 'hours_to', days: 'days' } as const

/** Automatic answers: one that could never answer a text is refused. */
export const autoAnswersExtension: Extension = {
  async beforeCreate(_store, values) {
    check(values, 'Failed to create record.')
    checkHours(HOURS, values, 'Failed to create record.')
    return {}
  },
  async beforeUpdate(_store, values, old) {
    check(values, 'Failed to update record.')
    checkHours(HOURS, values, 'Failed to update record.', old)
    return {}
  },
}

/** Throws 400 for missing keywords, and without a text or template. */
function check({ match, value, body, template }: Values, failure: string): void {
  if (match !== 'any' && keywordsOf(String(value)).length === 0)
    throw badRequest(failure, { value: fieldError('validation_required', 'Cannot be blank.') })
  if (!body && !template)
    throw badRequest(failure, { body: fieldError('validation_required', 'A text or a template is needed.') })
}
