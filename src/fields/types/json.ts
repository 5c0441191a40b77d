import { fieldError } from '../../errors.ts'
import type { FieldOf, FieldType } from '../field.ts'
import { hasNameTwice, isJson, minify, writeSorted } from '../values/json-text.ts'
import { required } from './text.ts'

/** Maximum size of a json field without `maxSize`. */
export const DEFAULT_JSON_BYTES = 1 << 20

const EMPTY = new Set(['null', '""', '[]', '{}'])
const WORDS = new Set(['null', 'true', 'false'])

/** `json`: any JSON, null when unset, up to `maxSize` bytes. PocketBase: core/field_json.go */
export const json: FieldType<FieldOf<'json'>> = {
  column: () => 'json',
  zero: () => null,
  fromInput(_, raw) {
    const text = typeof raw === 'string' ? fromText(raw) : writeSorted(raw)
    return text === 'null' ? null : text
  },
  accepts: () => true,
  expected: '',
  check(field, value) {
    const text = (value as string | null) ?? 'null'
    const maxSize = field.maxSize || DEFAULT_JSON_BYTES
    if (Buffer.byteLength(text) > maxSize) {
      return fieldError('validation_json_size_limit', `The maximum allowed JSON size is ${maxSize} bytes`, {
        maxSize,
      })
    }
    if (!isValid(text)) return fieldError('validation_invalid_json', 'Must be a valid json value')
    return field.required && EMPTY.has(text) ? required() : undefined
  },
}

/** False only for what `fromInput` may leave invalid: `\x` of quoteAsGo, deep nesting, repeated names. */
const isValid = (text: string) => isJson(text) && !hasNameTwice(text, JSON.parse(text))

function fromText(text: string): string {
  if (WORDS.has(text)) return text
  return /^[-\d"[{]/.test(text) && isJson(text) ? minify(text) : quoteAsGo(text)
}

/** Quotes with Go's escapes. JSON has no `\x`: `check` refuses such a text. */
function quoteAsGo(text: string): string {
  const control = /[\x00-\x07\x0b\x0e-\x1f\x7f]/
  if (!control.test(text)) return JSON.stringify(text.toWellFormed())
  return `"${text.replace(new RegExp(control, 'g'), (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`
}
