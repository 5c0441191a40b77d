import type { Field } from '../../fields/field.ts'

/** An invalid query of a view. `fields`: the columns that could be read. */
export class ViewQueryError extends Error {
  override name = 'ViewQueryError'
  readonly fields: readonly Field[]

  constructor(message: string, fields: readonly Field[] = []) {
    super(message)
    this.fields = fields
  }
}
