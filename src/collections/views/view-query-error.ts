import type { Field } from '../../fields/field.ts'

/**
 * A query that no view can have; the message says why. `fields`: the columns of the query that could be read.
 */
export class ViewQueryError extends Error {
  override name = 'ViewQueryError'
  readonly fields: readonly Field[]

  constructor(message: string, fields: readonly Field[] = []) {
    super(message)
    this.fields = fields
  }
}
