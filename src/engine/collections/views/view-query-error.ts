import type { Field } from '../../fields/field.ts'

export class ViewQueryError extends Error {
  override name = 'ViewQueryError'
  readonly fields: readonly Field[]

  constructor(message: string, fields: readonly Field[] = []) {
    super(message)
    this.fields = fields
  }
}
