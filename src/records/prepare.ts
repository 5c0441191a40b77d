import type { Collection, Store } from '../collections/catalog.ts'
import { type FieldError, fieldError } from '../errors.ts'
import { toNumber, toText, toTexts } from '../fields/cast.ts'
import type { Field, FileField, Value } from '../fields/field.ts'
import {
  choiceTexts,
  choiceValue,
  chosenTexts,
  DEFAULT_FILE_BYTES,
  fieldType,
  readError,
} from '../fields/field-types.ts'
import { generateText } from '../fields/pattern.ts'
import type { FileOwner } from '../files/storage-limit.ts'
import { storeFile } from '../files/stored-files.ts'
import type { Upload, Uploads } from '../files/upload.ts'
import { memoize } from '../tools/lru.ts'
import type { Values } from './record-sql.ts'

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
  /** Errors of unreadable values by field. Such a value becomes empty: an error of the empty value wins. */
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
export const blankValues = memoize(
  (collection: Collection): Readonly<Values> =>
    Object.fromEntries(collection.fields.map((field) => [field.name, fieldType(field).zero(field)])),
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
export function prepare(
  collection: Collection,
  raw: Readonly<Record<string, unknown>>,
  { base = blankValues(collection), isSuperuser, uploads = NOTHING_SENT, isStrict }: PrepareOptions,
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
    if (!isSuperuser && isClosed(collection, field)) continue
    const error = isStrict && readError(field, raw[key])
    if (error) unreadable[field.name] = error
    const value = setter.set(values[field.name]!, raw[key])
    values[field.name] = value
    body[field.name] = ruleValue(field, value)
    if (field.type !== 'password') continue
    passwords[field.name] = value as string
    if (value !== '') values[field.name] = NO_HASH
  }
  if (uploads.size === 0) return { values, body, passwords, unreadable, uploads: NO_UPLOADS }
  const named = new Map<string, Upload>()
  for (const field of collection.fields) {
    if (field.type !== 'file' || (!isSuperuser && isClosed(collection, field))) continue
    const own = namedUploads(field, uploads)
    if (own.size === 0) continue
    const value = addUploads(field, values[field.name]!, raw[field.name], uploads)
    values[field.name] = value
    body[field.name] = fileRuleValue(value, own)
    for (const [name, upload] of own) named.set(name, upload)
  }
  return { values, body, passwords, unreadable, uploads: named }
}

const isClosed = (collection: Collection, field: Field) =>
  field.hidden && !(collection.type === 'auth' && field.name === 'password')

/** A field's value as `@request.body` has it: JSON objects and lists are parsed, other JSON is text. */
function ruleValue(field: Field, value: Value): unknown {
  if (field.type === 'geoPoint') return JSON.parse(value as string)
  if (field.type !== 'json') return value
  const text = (value as string | null) ?? 'null'
  return /^[[{]/.test(text) ? JSON.parse(text) : text
}

interface Setter {
  readonly field: Field
  readonly needsOld: boolean
  readonly set: (old: Value, raw: unknown) => Value
}

/** A field's modifier keys, such as `name+`. PocketBase: FindSetter of each field type; contract 4.3 */
function modifiers(field: Field): Record<string, Setter['set']> {
  const { name } = field
  if ('maxSelect' in field) {
    const choice = (texts: readonly string[]) => choiceValue(field, toTexts(texts))
    return {
      [`${name}+`]: (old, raw) => choice([...chosenTexts(old), ...choiceTexts(field, raw)]),
      [`+${name}`]: (old, raw) => choice([...choiceTexts(field, raw), ...chosenTexts(old)]),
      [`${name}-`](old, raw) {
        const removed = choiceTexts(field, raw)
        return choice(chosenTexts(old).filter((text) => !removed.includes(text)))
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
  return { [`${name}:autogenerate`]: (_, raw) => toText(raw) + (pattern ? generateText(pattern) : '') }
}

const settersOf = memoize((collection: Collection): ReadonlyMap<string, Setter> => {
  const setters = new Map<string, Setter>()
  for (const field of collection.fields) {
    const { type, name } = field
    const { fromInput } = fieldType(field)
    const keeps = type === 'autodate'
    setters.set(name, { field, needsOld: keeps, set: (old, raw) => (keeps ? old : fromInput(field, raw)) })
    for (const [key, set] of Object.entries(modifiers(field)))
      setters.set(key, { field, needsOld: true, set })
  }
  return setters
})

export type NamedUploads = ReadonlyMap<string, Upload>

export const NO_UPLOADS: NamedUploads = new Map()

/** Keys of a multipart form for a field's files. PocketBase: apis/record_crud.go, extractUploadedFiles */
const uploadKeys = ({ name }: FileField) => [name, `+${name}`, `${name}+`] as const

/** Adds uploads: `name` replaces files not in `listed`, `+name` prepends, `name+` appends. Contract 4.6 */
function addUploads(field: FileField, value: Value, listed: unknown, uploads: Uploads): Value {
  const [instead, before, after] = uploadKeys(field).map((key) => uploads.get(key)?.map(({ name }) => name))
  const base = instead ? [...toTexts(listed ?? null), ...instead] : chosenTexts(value)
  return choiceValue(field, toTexts([...(before ?? []), ...base, ...(after ?? [])]))
}

const namedUploads = (field: FileField, uploads: Uploads): NamedUploads =>
  new Map(uploadKeys(field).flatMap((key) => (uploads.get(key) ?? []).map((one) => [one.name, one] as const)))

/** A file field in `@request.body`: uploads are objects with names and size. PocketBase: tools/filesystem */
function fileRuleValue(value: Value, uploads: NamedUploads): unknown {
  const show = (name: string) => {
    const upload = uploads.get(name)
    return upload ? { name, originalName: upload.originalName, size: upload.content.size } : name
  }
  return Array.isArray(value) ? value.map(show) : show(String(value))
}

const MAX_SHOWN_BYTES = 300

/** The error of an upload that is too large or of a wrong type. PocketBase: core/validators/file.go */
export function checkUpload(field: FileField, upload: Upload): FieldError | undefined {
  const maxSize = field.maxSize || DEFAULT_FILE_BYTES
  if (upload.content.size > maxSize) {
    const file = shown(upload.originalName)
    const text = `Failed to upload ${file} - the maximum allowed file size is ${maxSize} bytes`
    return fieldError('validation_file_size_limit', text, { file, maxSize })
  }
  const allowed = field.mimeTypes
  if (allowed.length === 0 || allowed.some((type) => isOfType(upload, type))) return undefined
  const text = `"${upload.name}" mime type must be one of: ${allowed.join(', ')}`
  return fieldError('validation_invalid_mime_type', text)
}

function shown(name: string): string {
  const bytes = Buffer.from(name)
  return bytes.length > MAX_SHOWN_BYTES ? `${bytes.subarray(0, MAX_SHOWN_BYTES).toString('utf8')}...` : name
}

const isOfType = ({ sniffed }: Upload, type: string): boolean =>
  sniffed.names.includes(type.split(';')[0]!.trim().toLowerCase())

/** Stores the uploads that the record's values name. Throws FilesFull if they exceed the account's limit. */
export async function storeUploads(
  { db }: Store,
  collection: Collection,
  record: string,
  values: Readonly<Values>,
  uploads: NamedUploads,
  owner: FileOwner,
): Promise<void> {
  const fields = collection.fields.filter(({ type }) => type === 'file')
  const names = new Set(fields.flatMap(({ name }) => chosenTexts(values[name]!)))
  for (const { name, sniffed, content } of uploads.values()) {
    const place = { collection: collection.id, record, name }
    if (names.has(name)) await storeFile(db, place, { type: sniffed.type, owner }, content)
  }
}
