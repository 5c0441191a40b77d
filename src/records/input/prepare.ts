import type { Collection } from '../../collections/collection.ts'
import type { FieldError } from '../../errors.ts'
import type { Field, Value } from '../../fields/field.ts'
import { fieldType } from '../../fields/types/field-types.ts'
import { readError } from '../../fields/types/readable.ts'
import type { Upload, Uploads } from '../../files/upload.ts'
import type { Values } from '../columns.ts'
import {
  addUploads,
  fileRuleValue,
  hasUploads,
  type NamedUploads,
  NO_UPLOADS,
  namedUploads,
  uploadsNeedOld,
} from './files.ts'
import { setterOf } from './setters.ts'

export interface Prepared {
  /** The resulting record, with a placeholder for the hash of each new password. */
  readonly values: Values
  /** The body as rules see it: modifiers resolved, known fields with their resulting values. */
  readonly body: Readonly<Record<string, unknown>>
  /** New passwords in plain text by field name, `''` for a removed one. */
  readonly passwords: Readonly<Record<string, string>>
  /** Sent files by the names in `values`. */
  readonly uploads: NamedUploads
  /** Errors of unreadable values by field name, where the collection reads strictly. */
  readonly unreadable: Readonly<Record<string, FieldError>>
}

interface PrepareOptions {
  /** The record before; absent: a blank one. */
  readonly base?: Readonly<Values> | undefined
  readonly isSuperuser: boolean
  readonly uploads?: Uploads | undefined
  /** Extension.readsStrictly of the collection. */
  readonly isStrict?: boolean | undefined
}

export function blankValues(collection: Collection): Values {
  // A field may be named __proto__.
  return Object.fromEntries(collection.fields.map((field) => [field.name, fieldType(field).zero(field)]))
}

/** Whether the body's result depends on the present record. */
export const needsOldValues = (
  collection: Collection,
  body: Readonly<Record<string, unknown>>,
  uploads: Uploads = NOTHING_SENT,
) =>
  Object.keys(body).some((key) => setterOf(collection, key)?.needsOld) || uploadsNeedOld(collection, uploads)

const NOTHING_SENT: Uploads = new Map()
/** Placeholder for a hash that is not made yet. */
const NO_HASH = '$2a$10$'.padEnd(60, '.')

/**
 * Applies a body to a record: shorter keys first, each modifier on the previous result. Unknown keys stay in
 * the body for rules only. Hidden fields are for superusers, except an auth record's password. Uploads are
 * applied last. PocketBase: core/record_model.go, ReplaceModifiers; apis/record_crud.go; contract 4.2
 */
export function prepare(
  collection: Collection,
  raw: Readonly<Record<string, unknown>>,
  { base = blankValues(collection), isSuperuser, uploads = NOTHING_SENT, isStrict }: PrepareOptions,
): Prepared {
  const values: Values = { ...base }
  const body: Record<string, unknown> = { ...raw }
  const passwords: Record<string, string> = {}
  const unreadable: Record<string, FieldError> = {}
  for (const key of Object.keys(raw).sort((a, b) => a.length - b.length)) {
    const setter = setterOf(collection, key)
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
  const draft = { values, body, passwords, uploads: NO_UPLOADS, unreadable }
  return uploads.size > 0 ? withUploads(draft, collection, raw, isSuperuser, uploads) : draft
}

function withUploads(
  prepared: Prepared,
  collection: Collection,
  raw: Readonly<Record<string, unknown>>,
  isSuperuser: boolean,
  uploads: Uploads,
): Prepared {
  const values = { ...prepared.values }
  const body = { ...prepared.body }
  const named = new Map<string, Upload>()
  for (const field of collection.fields) {
    if (field.type !== 'file' || !hasUploads(field, uploads)) continue
    if (!isSuperuser && isClosed(collection, field)) continue
    const own = namedUploads(field, uploads)
    const value = addUploads(field, values[field.name]!, raw[field.name], uploads)
    values[field.name] = value
    body[field.name] = fileRuleValue(value, own)
    for (const [name, upload] of own) named.set(name, upload)
  }
  return { ...prepared, values, body, uploads: named }
}

const isClosed = (collection: Collection, field: Field) =>
  field.hidden && !(collection.type === 'auth' && field.name === 'password')

/** A value in `@request.body`: JSON as an object that rules can look into, otherwise as text. */
function ruleValue(field: Field, value: Value): unknown {
  if (field.type === 'geoPoint') return JSON.parse(value as string)
  if (field.type !== 'json') return value
  const text = (value as string | null) ?? 'null'
  return /^[[{]/.test(text) ? JSON.parse(text) : text
}
