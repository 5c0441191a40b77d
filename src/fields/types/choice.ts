import { type FieldError, fieldError } from '../../errors.ts'
import {
  type FieldType,
  type FileField,
  isMulti,
  type RelationField,
  type SelectField,
  type Value,
} from '../field.ts'
import { toTexts } from '../values/cast.ts'
import { isScalar, required } from './text.ts'

export type ChoiceField = SelectField | RelationField | FileField

/** Behaviour of choice fields, by `maxSelect`. A single field keeps the last of several values. */
const CHOICE = {
  column: (field: ChoiceField) =>
    isMulti(field) ? `text[] collate "C" not null default '{}'` : `text collate "C" not null default ''`,
  zero: (field: ChoiceField): Value => (isMulti(field) ? [] : ''),
  fromInput: (field: ChoiceField, raw: unknown): Value => choiceValue(field, toTexts(raw)),
  accepts: (raw: unknown) => raw === null || isScalar(raw) || (Array.isArray(raw) && raw.every(isScalar)),
  expected: 'a text or a list of texts',
}

export const choiceValue = (field: ChoiceField, texts: string[]): Value =>
  isMulti(field) ? texts : lastOf(texts)

/** The value of a single field: the last text, or its item if it is a JSON list of one, as in PocketBase. */
function lastOf(texts: readonly string[]): string {
  const last = texts.at(-1) ?? ''
  const within = toTexts(last)
  return within.length > 1 ? last : (within[0] ?? '')
}

/** The texts of a field's value without empty ones. */
export function chosenTexts(value: Value): readonly string[] {
  if (Array.isArray(value)) return value
  return value === '' || value === null ? [] : [String(value)]
}

/** The values to check. A text that is a JSON list counts as its items, as in PocketBase. */
const judged = (value: Value): readonly string[] =>
  typeof value === 'string' ? toTexts(value) : chosenTexts(value)

function tooMany(field: ChoiceField, count: number): FieldError | undefined {
  const maxSelect = Math.max(field.maxSelect, 1)
  if (count <= maxSelect) return undefined
  return fieldError('validation_too_many_values', `Select no more than ${maxSelect}`, { maxSelect })
}

/** `select`: one or more of `values`. PocketBase: core/field_select.go */
export const select: FieldType<SelectField> = {
  ...CHOICE,
  check(field, value) {
    const texts = judged(value)
    if (texts.length === 0) return field.required ? required() : undefined
    const unknown = texts.find((text) => !field.values.includes(text))
    if (unknown === undefined) return tooMany(field, texts.length)
    return (
      tooMany(field, texts.length) ??
      fieldError('validation_invalid_value', `Invalid value ${unknown}`, { value: unknown })
    )
  },
}

/** `relation`: ids of records, checked when the record is written. PocketBase: core/field_relation.go */
export const relation: FieldType<RelationField> = {
  ...CHOICE,
  check(field, value) {
    const { length } = judged(value)
    if (length === 0) return field.required ? required() : undefined
    const { minSelect } = field
    if (length < minSelect)
      return fieldError('validation_not_enough_values', `Select at least ${minSelect}`, { minSelect })
    return tooMany(field, length)
  },
}

/** The file names in raw input. In a list, a list of one counts as its item; other lists are dropped. */
function fileNames(raw: unknown): string[] {
  if (!Array.isArray(raw)) return toTexts(raw)
  const names = raw.map(fileNames).filter(({ length }) => length === 1)
  return [...new Set(names.flat())]
}

/** The texts of a raw value for a choice field, in their order. */
export const choiceTexts = (field: ChoiceField, raw: unknown): string[] =>
  field.type === 'file' ? fileNames(raw) : toTexts(raw)

/** `file`: names of files. PocketBase: core/field_file.go */
export const file: FieldType<FileField> = {
  ...CHOICE,
  fromInput: (field, raw) => choiceValue(field, fileNames(raw)),
  check(field, value) {
    const { length } = chosenTexts(value)
    if (length === 0) return field.required ? required() : undefined
    const maxSelect = Math.max(field.maxSelect, 1)
    if (length <= maxSelect) return undefined
    return fieldError('validation_too_many_files', `The maximum allowed files is ${maxSelect}`, { maxSelect })
  },
}
