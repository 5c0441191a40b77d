import type { ErrorData, FieldError } from '../errors.ts'
import type { Collection } from './catalog.ts'

const isFieldError = (error: FieldError | ErrorData): error is FieldError => typeof error.code === 'string'

function lines(data: ErrorData, path = ''): string[] {
  return Object.entries(data).flatMap(([key, error]) =>
    isFieldError(error) ? [`${path}${key}: ${error.message}`] : lines(error, `${path}${key}.`),
  )
}

/** A collection that cannot be saved. `data`: errors by key. The caller adds the answer's message. */
export class InvalidCollection extends Error {
  override name = 'InvalidCollection'
  readonly collection: Collection
  readonly data: ErrorData

  constructor(collection: Collection, data: ErrorData) {
    super(`collection ${collection.name}: ${lines(data).join('; ')}`)
    this.collection = collection
    this.data = data
  }
}
