import type { Field } from '../../fields/field.ts'

/**
 * A view's query that cannot be one. The message says why. `fields`: those that it has, as far as they are
 * known.
 */
export class ViewQueryError extends Error {
  override name = 'ViewQueryError'
  readonly fields: readonly Field[]

  constructor(message: string, fields: readonly Field[] = []) {
    super(message)
    this.fields = fields
  }
}
