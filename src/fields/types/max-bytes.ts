import type { Field } from '../field.ts'
import { DEFAULT_JSON_BYTES } from './json.ts'
import { DEFAULT_EDITOR_BYTES } from './text.ts'

/** Maximum size of a file without `maxSize`. */
export const DEFAULT_FILE_BYTES = 5 << 20

/** How much a field adds to the accepted body size. PocketBase: CalculateMaxBodySize of field types */
export function maxBodyBytes(field: Field): number {
  if (field.type === 'editor') return field.maxSize || DEFAULT_EDITOR_BYTES
  if (field.type === 'json') return field.maxSize || DEFAULT_JSON_BYTES
  if (field.type === 'file') return (field.maxSize || DEFAULT_FILE_BYTES) * Math.max(field.maxSelect, 1)
  return 0
}
