import { type FieldError, fieldError } from '../../errors.ts'

/** The pattern of ids that PocketBase makes itself; ids of another pattern are judged more closely. */
export const KEY_PATTERN = '^[a-z0-9]+$'

/** What no id may contain, in the order in which PocketBase looks: ids become names of files. */
const FORBIDDEN = [
  '.',
  '/',
  '\\',
  '|',
  '"',
  "'",
  '`',
  '<',
  '>',
  ':',
  '?',
  '*',
  '%',
  '$',
  '\0',
  '\t',
  '\n',
  '\r',
  ' ',
]
/** Names that Windows keeps for devices. */
const RESERVED = [
  'CON',
  'PRN',
  'AUX',
  'NUL',
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((number) => [`COM${number}`, `LPT${number}`]),
]

/** Why an id of a collection with its own id pattern is not allowed. PocketBase: core/field_text.go */
export function keyError(id: string): FieldError | undefined {
  const ch = FORBIDDEN.find((character) => id.includes(character))
  if (ch !== undefined) {
    return fieldError('validation_forbidden_pk_character', `'${ch}' is not a valid primary key character`, {
      ch,
    })
  }
  const reserved = RESERVED.find((name) => name === id.toUpperCase())
  if (reserved === undefined) return undefined
  return fieldError(
    'validation_reserved_pk',
    `The primary key '${reserved}' is reserved and cannot be used`,
    { reserved },
  )
}
