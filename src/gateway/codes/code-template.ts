import { fillVariables, parseTextTemplate, renderForPerson } from '../../portable/text-template.ts'
import { makeTemplateError } from '../base/gateway-errors.ts'
import { refuseMissingVariable } from '../messages/send/missing-variables.ts'

export const fillCode = (template: string, to: string, code: string) =>
  renderForPerson(
    fillVariables(parseTextTemplate(template), { code }),
    { name: '', phone: to },
    refuseMissingVariable,
  )

/** Throws 400 for a template without `{{code}}`, or with a variable that has no value. */
export function checkTemplate(template: string) {
  if (fillCode(template, '', '0') === fillCode(template, '', '1'))
    throw makeTemplateError('The template has no {{code}}.')
}
