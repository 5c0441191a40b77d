import { badRequest, fieldError } from '../../errors.ts'
import type { Value } from '../../fields/field.ts'
import { patternError } from '../../fields/values/pattern.ts'
import type { Extension } from '../../records/extension.ts'
import { checkHours } from '../hours-fields.ts'

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

/** Throws 400 for an invalid expression, for missing words, and without a text or template. */
function check({ match, value, body, template }: Values, failure: string): void {
  if (match === 'pattern' && patternError(String(value)) !== undefined)
    throw badRequest(failure, {
      value: fieldError('validation_invalid_pattern', 'Must be a regular expression in the syntax of RE2.'),
    })
  if (match !== 'any' && !value)
    throw badRequest(failure, { value: fieldError('validation_required', 'Cannot be blank.') })
  if (!body && !template)
    throw badRequest(failure, {
      body: fieldError('validation_required', 'A text or a template is needed.'),
    })
}
