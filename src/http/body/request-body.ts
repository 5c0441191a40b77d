import type { Uploads } from '../../files/upload.ts'

export type Values = Record<string, unknown>

/** What a request brought along: values by key, and the files of a multipart form. */
export interface RequestBody {
  readonly values: Values
  readonly files: Uploads
  /** Lets go of the files, where there are some. */
  readonly release?: () => Promise<void>
}
