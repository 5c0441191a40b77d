import type { Missing } from '../../../portable/text-template.ts'
import { makeTemplateError } from '../../base/gateway-errors.ts'

/** Throws 400 for a variable without a value. An empty value is a value. */
export const refuseMissingVariable: Missing = (name, empty) => {
  if (empty === undefined) throw makeTemplateError(`Missing variable: ${name}.`)
  return empty
}

/** Throws 400 for a variable without a value, or with an empty one. */
export const refuseEmptyVariable: Missing = (name) => refuseMissingVariable(name, undefined)
