import { type FieldError, makeFieldError } from '../../platform/api-errors.ts'
import { toTexts } from './convert-values.ts'
import { emailType } from './email.ts'
import {
  type Field,
  type FieldOf,
  type FieldType,
  type FieldTypeName,
  type FileField,
  isMulti,
  MAX_SHORT_BYTES,
  type RelationField,
  type SelectField,
  type Value,
  type ValueStorage,
} from './field.ts'
import { geoPointType } from './geo-point.ts'
import { autodateType, dateType } from './parse-date.ts'
import {
  boolType,
  DEFAULT_EDITOR_BYTES,
  DEFAULT_JSON_BYTES,
  editorType,
  isScalar,
  jsonType,
  makeRequiredError,
  numberType,
  TEXT_LIKE,
  textType,
} from './scalar-types.ts'
import { urlType } from './url.ts'

type ChoiceField = SelectField | RelationField | FileField

/** Maximum bytes of a record's id or a file's name. */
export const NAME_BYTES = 150

/** The common part of select, relation and file fields. A field for one value keeps the last of several. */
const CHOICE = {
  column: (field: ChoiceField) =>
    isMulti(field)
      ? `text[] collate "C" not null default '{}'`
      : `text collate "C" not null default ''`,
  storage: 'text',
  maxBytes: (field: ChoiceField) => Math.max(field.maxSelect, 1) * NAME_BYTES,
  zero: (field: ChoiceField): Value => (isMulti(field) ? [] : ''),
  fromInput: (field: ChoiceField, raw: unknown): Value => toChoiceValue(field, toTexts(raw)),
  accepts: (raw: unknown) =>
    raw === null || isScalar(raw) || (Array.isArray(raw) && raw.every(isScalar)),
  expected: 'a text or a list of texts',
} as const

export const toChoiceValue = (field: ChoiceField, texts: string[]): Value =>
  isMulti(field) ? texts : pickLastText(texts)

/** The last text or, if this is a JSON list of one item, the item. An empty list gives ''. As PocketBase. */
function pickLastText(texts: readonly string[]): string {
  const last = texts.at(-1) ?? ''
  const within = toTexts(last)
  return within.length > 1 ? last : (within[0] ?? '')
}

/** A field's value as a list of texts. An empty text or null gives an empty list. */
export function listChosenTexts(value: Value): readonly string[] {
  if (Array.isArray(value)) return value
  return value === '' || value === null ? [] : [String(value)]
}

/** The texts to validate. A single text that is a JSON list counts as its items, as in PocketBase. */
const listTextsToValidate = (value: Value): readonly string[] =>
  typeof value === 'string' ? toTexts(value) : listChosenTexts(value)

function findTooManyError(field: ChoiceField, count: number): FieldError | undefined {
  const maxSelect = Math.max(field.maxSelect, 1)
  if (count <= maxSelect) return undefined
  return makeFieldError('validation_too_many_values', `Select no more than ${maxSelect}`, {
    maxSelect,
  })
}

/** `select`: one or more of `values`. PocketBase: core/field_select.go */
const select: FieldType<SelectField> = {
  ...CHOICE,
  maxBytes: ({ values }) => values.reduce((sum, value) => sum + Buffer.byteLength(value), 0),
  check(field, value) {
    const texts = listTextsToValidate(value)
    const unknown = texts.find((text) => !field.values.includes(text))
    if (unknown === undefined) return findTooManyError(field, texts.length)
    return (
      findTooManyError(field, texts.length) ??
      makeFieldError('validation_invalid_value', `Invalid value ${unknown}`, { value: unknown })
    )
  },
}

/** `relation`: ids of records. Whether these exist is tested later. PocketBase: core/field_relation.go */
const relation: FieldType<RelationField> = {
  ...CHOICE,
  check(field, value) {
    const { length } = listTextsToValidate(value)
    const { minSelect } = field
    if (length < minSelect)
      return makeFieldError('validation_not_enough_values', `Select at least ${minSelect}`, {
        minSelect,
      })
    return findTooManyError(field, length)
  },
}

/** File names in raw input. A nested list of one item counts as this item. Drops other nested lists. */
function readFileNames(raw: unknown): string[] {
  if (!Array.isArray(raw)) return toTexts(raw)
  const names = raw.map(readFileNames).filter(({ length }) => length === 1)
  return [...new Set(names.flat())]
}

/** The texts in a raw value for a select, relation or file field, in their order. */
export const readChoiceTexts = (field: ChoiceField, raw: unknown): string[] =>
  field.type === 'file' ? readFileNames(raw) : toTexts(raw)

/** `file`: names of files. PocketBase: core/field_file.go */
const file: FieldType<FileField> = {
  ...CHOICE,
  fromInput: (field, raw) => toChoiceValue(field, readFileNames(raw)),
  check(field, value) {
    const { length } = listChosenTexts(value)
    const maxSelect = Math.max(field.maxSelect, 1)
    if (length <= maxSelect) return undefined
    return makeFieldError(
      'validation_too_many_files',
      `The maximum allowed files is ${maxSelect}`,
      {
        maxSelect,
      },
    )
  },
}

const FIELD_TYPES: { readonly [T in FieldTypeName]: FieldType<FieldOf<T>> } = {
  text: textType,
  number: numberType,
  bool: boolType,
  email: emailType,
  url: urlType,
  editor: editorType,
  date: dateType,
  autodate: autodateType,
  select,
  json: jsonType,
  geoPoint: geoPointType,
  relation,
  file,
  // stored as a bcrypt hash; `fromInput` returns plain text, which is hashed later
  password: { ...TEXT_LIKE, maxBytes: () => MAX_SHORT_BYTES },
}

export const findFieldType = (field: Field): FieldType => FIELD_TYPES[field.type] as FieldType

export const findFieldStorage = (field: Field): ValueStorage =>
  isMulti(field) ? 'list' : findFieldType(field).storage

const SQL_TYPES: Readonly<Record<ValueStorage, string>> = {
  text: 'text',
  number: 'double precision',
  bool: 'boolean',
  list: 'text[]',
  json: 'json',
  geo: 'json',
}

export const findSqlType = (field: Field): string => SQL_TYPES[findFieldStorage(field)]

/** Whether the field's column contains JSON. */
export const isStoredAsJson = (field: Field): boolean => findSqlType(field) === 'json'

/** The error of a value that is required but empty, or that its field type refuses. Contract 4.5 */
export function checkValue(field: Field, value: Value): FieldError | undefined {
  const isEmpty =
    value === '' || value === 0 || value === false || (Array.isArray(value) && !value.length)
  if (isEmpty) return field.required ? makeRequiredError() : undefined
  return findFieldType(field).check?.(field, value)
}

/** The error of a raw value that the field's type cannot read; undefined if it can. */
export function findReadError(field: Field, raw: unknown): FieldError | undefined {
  const { accepts, expected } = findFieldType(field)
  const isReadable = accepts?.(raw) ?? true
  return isReadable ? undefined : makeFieldError('validation_invalid_value', `Must be ${expected}`)
}

/** Maximum bytes of a file in a field without `maxSize`. */
export const DEFAULT_FILE_BYTES = 5 << 20

/** Bytes that a field adds to the maximum body size. PocketBase: CalculateMaxBodySize of field types */
export function findMaxBodyBytes(field: Field): number {
  if (field.type === 'editor') return field.maxSize || DEFAULT_EDITOR_BYTES
  if (field.type === 'json') return field.maxSize || DEFAULT_JSON_BYTES
  if (field.type === 'file')
    return (field.maxSize || DEFAULT_FILE_BYTES) * Math.max(field.maxSelect, 1)
  return 0
}
