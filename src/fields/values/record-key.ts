import { type FieldError, fieldError } from '../../errors.ts'

/** The pattern of PocketBase's own ids. Ids of other patterns have further checks. */
export const KEY_PATTERN = '^[a-z0-9]+$'

/** Forbidden parts of an id, in PocketBase's order of checks: ids become file names. */
const FORBIDDEN = [...'./\\|"\'`<>:?*%$\0\t\n\r ']
/** Device names of Windows. */
const RESERVED = /^(CON|PRN|AUX|NUL|(COM|LPT)[1-9])$/

/** Refuses ids that cannot be file names, whatever the collection allows. PocketBase: core/field_text.go */
export function keyError(id: string): FieldError | undefined {
  const ch = FORBIDDEN.find((character) => id.includes(character))
  if (ch !== undefined) {
    return fieldError('validation_forbidden_pk_character', `'${ch}' is not a valid primary key character`, {
      ch,
    })
  }
  const reserved = id.toUpperCase()
  if (!RESERVED.test(reserved)) return undefined
  return fieldError(
    'validation_reserved_pk',
    `The primary key '${reserved}' is reserved and cannot be used`,
    { reserved },
  )
}
