import type { FieldError } from '../../platform/api-errors.ts'
import { memoize } from '../../platform/tools/lru.ts'
import type { Collection } from '../collections/collection.ts'
import { toNumber, toText, toTexts } from '../fields/convert-values.ts'
import type { Field, Value } from '../fields/field.ts'
import {
  findFieldType,
  findReadError,
  isStoredAsJson,
  listChosenTexts,
  readChoiceTexts,
  toChoiceValue,
} from '../fields/field-types.ts'
import { generateText } from '../fields/regex-patterns.ts'
import type { Upload, Uploads } from '../files/upload.ts'
import type { Values } from './record-row.ts'
import {
  addUploads,
  findNamedUploads,
  type NamedUploads,
  NO_UPLOADS,
  toFileRuleValue,
} from './record-uploads.ts'

export interface Prepared {
  /** The resulting record, with a placeholder for the hash of each new password. */
  readonly values: Values
  /** The body as API rules see it: known fields have their resulting values, modifiers are applied. */
  readonly body: Readonly<Record<string, unknown>>
  /** New passwords in plain text by field name; `''` for a removed password. */
  readonly passwords: Readonly<Record<string, string>>
  readonly uploads: NamedUploads
  readonly unreadable: Readonly<Record<string, FieldError>>
}

/** A record to be stored. `old` is absent for a new record. `passwords` has new ones in plain text. */
export interface Draft {
  readonly values: Readonly<Values>
  readonly passwords: Readonly<Record<string, string>>
  readonly old?: Readonly<Values>
  readonly uploads?: NamedUploads
  /**
   * Errors of unreadable values by field. Such a value becomes empty; if the field refuses an empty value,
   * that error is answered instead.
   */
  readonly unreadable?: Readonly<FieldErrors>
}

export type FieldErrors = Record<string, FieldError>

interface PrepareOptions {
  /** Values of the record before the write; absent for a blank record. */
  readonly base?: Readonly<Values> | undefined
  readonly isSuperuser: boolean
  readonly uploads?: Uploads | undefined
  readonly isStrict?: boolean | undefined
}

/** The values of an empty record. Object.fromEntries also works for a field named `__proto__`. */
export const makeBlankValues = memoize(
  (collection: Collection): Readonly<Values> =>
    Object.fromEntries(
      collection.fields.map((field) => [field.name, findFieldType(field).zero(field)]),
    ),
)

/** Whether applying the body needs the stored record, as for the modifier `name+`. */
export const needsOldValues = (
  collection: Collection,
  body: Readonly<Record<string, unknown>>,
  uploads: Uploads = NOTHING_SENT,
) => uploads.size > 0 || Object.keys(body).some((key) => settersOf(collection).get(key)?.needsOld)

const NOTHING_SENT: Uploads = new Map()
const NO_HASH = '$2a$10$'.padEnd(60, '.')

/** Applies a body to a record, first shorter keys (`name` before `name+`), then uploads. Contract 4.2 */
export function prepareValues(
  collection: Collection,
  raw: Readonly<Record<string, unknown>>,
  {
    base = makeBlankValues(collection),
    isSuperuser,
    uploads = NOTHING_SENT,
    isStrict,
  }: PrepareOptions,
): Prepared {
  const values: Values = { ...base }
  const body: Record<string, unknown> = { ...raw }
  const passwords: Record<string, string> = {}
  const unreadable: Record<string, FieldError> = {}
  const setters = settersOf(collection)
  for (const key of Object.keys(raw).sort((a, b) => a.length - b.length)) {
    const setter = setters.get(key)
    if (!setter) continue
    const { field } = setter
    delete body[key]
    if (!isSuperuser && isWriteProtected(collection, field)) continue
    const error = isStrict && findReadError(field, raw[key])
    if (error) unreadable[field.name] = error
    const value = setter.set(values[field.name]!, raw[key])
    values[field.name] = value
    body[field.name] = toRuleValue(field, value)
    if (field.type !== 'password') continue
    passwords[field.name] = value as string
    if (value !== '') values[field.name] = NO_HASH
  }
  if (uploads.size === 0) return { values, body, passwords, unreadable, uploads: NO_UPLOADS }
  const named = new Map<string, Upload>()
  for (const field of collection.fields) {
    if (field.type !== 'file' || (!isSuperuser && isWriteProtected(collection, field))) continue
    const own = findNamedUploads(field, uploads)
    if (own.size === 0) continue
    const value = addUploads(field, values[field.name]!, raw[field.name], uploads)
    values[field.name] = value
    body[field.name] = toFileRuleValue(value, own)
    for (const [name, upload] of own) named.set(name, upload)
  }
  return { values, body, passwords, unreadable, uploads: named }
}

const isWriteProtected = (collection: Collection, field: Field) =>
  field.hidden && !(collection.type === 'auth' && field.name === 'password')

/** A field's value as `@request.body` has it: JSON objects and lists are parsed, other JSON is text. */
function toRuleValue(field: Field, value: Value): unknown {
  if (!isStoredAsJson(field)) return value
  const text = (value as string | null) ?? 'null'
  return /^[[{]/.test(text) ? JSON.parse(text) : text
}

interface Setter {
  readonly field: Field
  readonly needsOld: boolean
  readonly set: (old: Value, raw: unknown) => Value
}

/** A field's modifier keys, such as `name+`. PocketBase: FindSetter of each field type; contract 4.3 */
function makeModifiers(field: Field): Record<string, Setter['set']> {
  const { name } = field
  if ('maxSelect' in field) {
    const choice = (texts: readonly string[]) => toChoiceValue(field, toTexts(texts))
    return {
      [`${name}+`]: (old, raw) => choice([...listChosenTexts(old), ...readChoiceTexts(field, raw)]),
      [`+${name}`]: (old, raw) => choice([...readChoiceTexts(field, raw), ...listChosenTexts(old)]),
      [`${name}-`](old, raw) {
        const removed = readChoiceTexts(field, raw)
        return choice(listChosenTexts(old).filter((text) => !removed.includes(text)))
      },
    }
  }
  if (field.type === 'number') {
    return {
      [`${name}+`]: (old, raw) => (old as number) + toNumber(raw),
      [`${name}-`]: (old, raw) => (old as number) - toNumber(raw),
    }
  }
  if (field.type !== 'text') return {}
  const { autogeneratePattern: pattern } = field
  return {
    [`${name}:autogenerate`]: (_, raw) => toText(raw) + (pattern ? generateText(pattern) : ''),
  }
}

const settersOf = memoize((collection: Collection): ReadonlyMap<string, Setter> => {
  const setters = new Map<string, Setter>()
  for (const field of collection.fields) {
    const { type, name } = field
    const { fromInput } = findFieldType(field)
    const keeps = type === 'autodate'
    setters.set(name, {
      field,
      needsOld: keeps,
      set: (old, raw) => (keeps ? old : fromInput(field, raw)),
    })
    for (const [key, set] of Object.entries(makeModifiers(field)))
      setters.set(key, { field, needsOld: true, set })
  }
  return setters
})
