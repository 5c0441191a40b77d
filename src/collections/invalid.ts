import type { ErrorData } from '../errors.ts'

/** A collection that cannot be saved: what is wrong, by its keys. Whoever asked for the save says so in its words. */
export class InvalidCollection extends Error {
  override name = 'InvalidCollection'
  readonly data: ErrorData

  constructor(data: ErrorData) {
    super(`Invalid collection: ${JSON.stringify(data)}`)
    this.data = data
  }
}
