import { type FieldError, makeFieldError } from '../../platform/api-errors.ts'
import {
  countCharacters,
  formatExponent,
  parseNumber,
  readBool,
  toBool,
  toNumber,
  toText,
} from './convert-values.ts'
import {
  type Field,
  type FieldOf,
  type FieldType,
  MAX_SHORT_BYTES,
  type PasswordField,
  type TextField,
  type Value,
} from './field.ts'
import { isJson, isUniqueJson, minifyJson, writeSortedJson } from './json-text.ts'
import { matchesPattern } from './regex-patterns.ts'

/** The pattern of PocketBase's own ids. Ids with another pattern are tested for forbidden characters, too. */
export const KEY_PATTERN = '^[a-z0-9]+$'

/** Characters forbidden in an id, because ids become folder names; in PocketBase's order of checking. */
const FORBIDDEN = [...'./\\|"\'`<>:?*%$\0\t\n\r ']
/** Ids forbidden because they are names of devices in Windows. */
const RESERVED = /^(CON|PRN|AUX|NUL|(COM|LPT)[1-9])$/

/** Refuses ids that cannot be file names, whatever the field's pattern. PocketBase: core/field_text.go */
function findKeyError(id: string): FieldError | undefined {
  const ch = FORBIDDEN.find((character) => id.includes(character))
  const wrong = `'${ch}' is not a valid primary key character`
  if (ch !== undefined) return makeFieldError('validation_forbidden_pk_character', wrong, { ch })
  const reserved = id.toUpperCase()
  if (!RESERVED.test(reserved)) return undefined
  const text = `The primary key '${reserved}' is reserved and cannot be used`
  return makeFieldError('validation_reserved_pk', text, { reserved })
}

export const DEFAULT_MAX_CHARACTERS = 5000
/** Maximum bytes of a character in UTF-8. */
const CHARACTER_BYTES = 4
/** Maximum bytes of an editor field without `maxSize`. */
export const DEFAULT_EDITOR_BYTES = 5 << 20

export const makeRequiredError = (): FieldError =>
  makeFieldError('validation_required', 'Cannot be blank')

export const isScalar = (raw: unknown) => ['string', 'number', 'boolean'].includes(typeof raw)

export const TEXT_LIKE = {
  column: (field: Field) =>
    field.type === 'text' && field.primaryKey
      ? 'text collate "C" primary key'
      : 'text collate "C" not null default \'\'',
  storage: 'text',
  maxBytes: (_: Field) => DEFAULT_MAX_CHARACTERS * CHARACTER_BYTES,
  zero: (): Value => '',
  fromInput: (_: Field, raw: unknown): Value => toText(raw),
  accepts: (raw: unknown) => raw === null || isScalar(raw),
  expected: 'a text',
} as const

/** `text`: `min`, `max`, `pattern`; `primaryKey` marks a record's id. PocketBase: core/field_text.go */
export const textType: FieldType<TextField> = {
  ...TEXT_LIKE,
  maxBytes: ({ max }) => (max || DEFAULT_MAX_CHARACTERS) * CHARACTER_BYTES,
  check(field, value) {
    const written = value as string
    const length = countCharacters(written)
    const { min, max } = { ...field, max: field.max || DEFAULT_MAX_CHARACTERS }
    if (length < min)
      return makeFieldError(
        'validation_min_text_constraint',
        `Must be at least ${min} character(s)`,
        {
          min,
        },
      )
    if (length > max)
      return makeFieldError(
        'validation_max_text_constraint',
        `Must be no more than ${max} character(s)`,
        { max },
      )
    if (field.pattern && !matchesPattern(field.pattern, written))
      return makeFieldError('validation_invalid_format', 'Invalid value format')
    return field.primaryKey && field.pattern !== KEY_PATTERN ? findKeyError(written) : undefined
  },
}

/** `editor`: HTML up to `maxSize` bytes. PocketBase: core/field_editor.go */
export const editorType: FieldType<FieldOf<'editor'>> = {
  ...TEXT_LIKE,
  maxBytes: ({ maxSize }) => maxSize || DEFAULT_EDITOR_BYTES,
  check(field, value) {
    const maxSize = field.maxSize || DEFAULT_EDITOR_BYTES
    if (Buffer.byteLength(value as string) <= maxSize) return undefined
    const text = `The maximum allowed content size is ${maxSize} bytes`
    return makeFieldError('validation_content_size_limit', text, { maxSize })
  },
}

export const makeIntegerError = () =>
  makeFieldError('validation_only_int_constraint', 'Decimal numbers are not allowed')
export function makeTooSmallError(min: number): FieldError {
  const text = `Must be greater or equal than ${formatNumber(min)}`
  return makeFieldError('validation_min_number_constraint', text, { min })
}

/** `number`: `min`, `max`, `onlyInt`. 0 is empty and so not checked. PocketBase: core/field_number.go */
export const numberType: FieldType<FieldOf<'number'>> = {
  column: () => 'double precision not null default 0',
  storage: 'number',
  maxBytes: () => MAX_SHORT_BYTES,
  zero: () => 0,
  fromInput: (_, raw) => toNumber(raw),
  // null is refused: to a client it may mean "unlimited", but it would become 0
  accepts: (raw) =>
    typeof raw === 'number' || (typeof raw === 'string' && parseNumber(raw) !== undefined),
  expected: 'a number',
  check({ onlyInt, min, max }, value) {
    const number = value as number
    if (!Number.isFinite(number))
      return makeFieldError(
        'validation_not_a_number',
        'The submitted number is not properly formatted',
      )
    if (onlyInt && !isInt64(number)) return makeIntegerError()
    if (min !== null && number < min) return makeTooSmallError(min)
    if (max === null || number <= max) return undefined
    const text = `Must be less or equal than ${formatNumber(max)}`
    return makeFieldError('validation_max_number_constraint', text, { max })
  },
}

/** A number in an error message as Go prints it: 123456, but 1e+06. */
function formatNumber(value: number): string {
  const [digits, power = ''] = value.toExponential().split('e')
  const exponent = Number(power)
  if (exponent >= -4 && exponent < 6) return String(value)
  return `${digits}e${formatExponent(exponent)}`
}

/** Whether the number is an int64: PocketBase's test for an integer. */
export const isInt64 = (value: number) =>
  Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63

/** `bool`: a required one must be true. PocketBase: core/field_bool.go */
export const boolType: FieldType<FieldOf<'bool'>> = {
  column: () => 'boolean not null default false',
  storage: 'bool',
  maxBytes: () => MAX_SHORT_BYTES,
  zero: () => false,
  fromInput: (_, raw) => toBool(raw),
  accepts: (raw) =>
    typeof raw === 'boolean' ||
    [0, 1].includes(raw as number) ||
    readBool(raw as string) !== undefined,
  expected: 'true or false',
}

/** Maximum bytes of a json field without `maxSize`. */
export const DEFAULT_JSON_BYTES = 1 << 20

const EMPTY = new Set(['null', '""', '[]', '{}'])
const WORDS = new Set(['null', 'true', 'false'])

/** `json`: any JSON of up to `maxSize` bytes, null when unset. PocketBase: core/field_json.go */
export const jsonType: FieldType<FieldOf<'json'>> = {
  column: () => 'json',
  storage: 'json',
  maxBytes: ({ maxSize }) => maxSize || DEFAULT_JSON_BYTES,
  zero: () => null,
  fromInput(_, raw) {
    const text = typeof raw === 'string' ? readJsonText(raw) : writeSortedJson(raw)
    return text === 'null' ? null : text
  },
  check(field, value) {
    const text = (value as string | null) ?? 'null'
    const maxSize = field.maxSize || DEFAULT_JSON_BYTES
    const tooLarge = `The maximum allowed JSON size is ${maxSize} bytes`
    if (Buffer.byteLength(text) > maxSize)
      return makeFieldError('validation_json_size_limit', tooLarge, { maxSize })
    // `fromInput` may return `\x` escapes, too deep nesting or repeated keys
    if (!isUniqueJson(text))
      return makeFieldError('validation_invalid_json', 'Must be a valid json value')
    return field.required && EMPTY.has(text) ? makeRequiredError() : undefined
  },
}

function readJsonText(text: string): string {
  if (WORDS.has(text)) return text
  return /^[-\d"[{]/.test(text) && isJson(text) ? minifyJson(text) : quoteAsGo(text)
}

/** Quotes with Go's escapes. JSON has no `\x`, so `check` refuses a text with such an escape. */
function quoteAsGo(text: string): string {
  const control = /[\x00-\x07\x0b\x0e-\x1f\x7f]/
  if (!control.test(text)) return JSON.stringify(text.toWellFormed())
  return `"${text.replace(new RegExp(control, 'g'), (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`
}

/** Maximum characters of a password without `max`, as in PocketBase. bcrypt also allows only 72 bytes. */
const DEFAULT_MAX_PASSWORD = 71

/** The error of a new plain-text password, if any. An empty one has none. PocketBase: field_password.go */
export function findPasswordError(field: PasswordField, plain: string): FieldError | undefined {
  if (plain === '') return undefined
  const length = countCharacters(plain)
  const max = field.max > 0 ? field.max : DEFAULT_MAX_PASSWORD
  if (length < field.min)
    return makeFieldError(
      'validation_min_text_constraint',
      `Must be at least ${field.min} character(s)`,
    )
  if (length > max)
    return makeFieldError('validation_max_text_constraint', `Must be less than ${max} character(s)`)
  if (field.pattern && !matchesPattern(field.pattern, plain))
    return makeFieldError('validation_invalid_format', 'Invalid value format')
}
