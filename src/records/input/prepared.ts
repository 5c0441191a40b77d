import type { FieldError } from '../../errors.ts'
import type { NamedUploads } from './files.ts'
import type { Values } from './values.ts'

/** A body laid over a record. */
export interface Prepared {
  /** The record that would be. */
  readonly values: Values
  /** The body as rules see it: modifiers resolved, known fields with the value they come to. */
  readonly body: Readonly<Record<string, unknown>>
  /**
   * New passwords in plain text by field name, `''` for one that is taken away. In `values` they wait to be
   * hashed.
   */
  readonly passwords: Readonly<Record<string, string>>
  /** The sent files for this record; `values` has the names of those that it keeps. */
  readonly uploads: NamedUploads
  /** Errors by field name of what could not be read, where the collection reads strictly. */
  readonly unreadable: Readonly<Record<string, FieldError>>
}
