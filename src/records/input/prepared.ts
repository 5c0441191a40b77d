import type { FieldError } from '../../errors.ts'
import type { NamedUploads } from './files.ts'
import type { Values } from './values.ts'

/** A body applied to a record. */
export interface Prepared {
  /** The resulting record. */
  readonly values: Values
  /** The body as rules see it: modifiers resolved, known fields with their resulting values. */
  readonly body: Readonly<Record<string, unknown>>
  /** New passwords in plain text by field name, `''` for a removed one. `values` gets their hashes later. */
  readonly passwords: Readonly<Record<string, string>>
  /** Sent files by the names in `values`. */
  readonly uploads: NamedUploads
  /** Errors of unreadable values by field name, where the collection reads strictly. */
  readonly unreadable: Readonly<Record<string, FieldError>>
}
