import { type FieldError, makeFieldError } from '../../platform/api-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { toTexts } from '../fields/convert-values.ts'
import type { FileField, Value } from '../fields/field.ts'
import { DEFAULT_FILE_BYTES, listChosenTexts, toChoiceValue } from '../fields/field-types.ts'
import type { FileOwner } from '../files/storage-limit.ts'
import { storeFile } from '../files/stored-files.ts'
import type { Upload, Uploads } from '../files/upload.ts'
import type { Values } from './record-row.ts'

export type NamedUploads = ReadonlyMap<string, Upload>

export const NO_UPLOADS: NamedUploads = new Map()

/** Keys of a multipart form for a field's files. PocketBase: apis/record_crud.go, extractUploadedFiles */
const listUploadKeys = ({ name }: FileField) => [name, `+${name}`, `${name}+`] as const

/** Adds uploads: `name` replaces files not in `listed`, `+name` prepends, `name+` appends. Contract 4.6 */
export function addUploads(
  field: FileField,
  value: Value,
  listed: unknown,
  uploads: Uploads,
): Value {
  const [instead, before, after] = listUploadKeys(field).map((key) =>
    uploads.get(key)?.map(({ name }) => name),
  )
  const base = instead ? [...toTexts(listed ?? null), ...instead] : listChosenTexts(value)
  return toChoiceValue(field, toTexts([...(before ?? []), ...base, ...(after ?? [])]))
}

export const findNamedUploads = (field: FileField, uploads: Uploads): NamedUploads =>
  new Map(
    listUploadKeys(field).flatMap((key) =>
      (uploads.get(key) ?? []).map((one) => [one.name, one] as const),
    ),
  )

/** A file field in `@request.body`: uploads are objects with names and size. PocketBase: tools/filesystem */
export function toFileRuleValue(value: Value, uploads: NamedUploads): unknown {
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
    const file = shortenFileName(upload.originalName)
    const text = `Failed to upload ${file} - the maximum allowed file size is ${maxSize} bytes`
    return makeFieldError('validation_file_size_limit', text, { file, maxSize })
  }
  const allowed = field.mimeTypes
  if (allowed.length === 0 || allowed.some((type) => isOfType(upload, type))) return undefined
  const text = `"${upload.name}" mime type must be one of: ${allowed.join(', ')}`
  return makeFieldError('validation_invalid_mime_type', text)
}

function shortenFileName(name: string): string {
  const bytes = Buffer.from(name)
  return bytes.length > MAX_SHOWN_BYTES
    ? `${bytes.subarray(0, MAX_SHOWN_BYTES).toString('utf8')}...`
    : name
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
  const names = new Set(fields.flatMap(({ name }) => listChosenTexts(values[name]!)))
  for (const { name, sniffed, content } of uploads.values()) {
    const place = { collection: collection.id, record, name }
    if (names.has(name)) await storeFile(db, place, { type: sniffed.type, owner }, content)
  }
}
