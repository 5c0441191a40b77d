import type { FieldError } from '../../platform/api-errors.ts'
import { flag, optionalNumber, text, texts, type ValuesOf, whole } from './json-shapes.ts'

export const COMMON_KEYS = { id: text, name: text, hidden: flag, presentable: flag, system: flag }
const DOMAINS = { exceptDomains: texts, onlyDomains: texts }

/** Keys of each field type besides COMMON_KEYS, `help` and `required`. PocketBase: core/field_*.go */
export const FIELD_KEYS = {
  text: { autogeneratePattern: text, max: whole, min: whole, pattern: text, primaryKey: flag },
  number: { max: optionalNumber, min: optionalNumber, onlyInt: flag },
  bool: {},
  email: DOMAINS,
  url: DOMAINS,
  editor: { convertURLs: flag, maxSize: whole },
  date: { max: text, min: text },
  autodate: { onCreate: flag, onUpdate: flag },
  select: { maxSelect: whole, values: texts },
  json: { maxSize: whole },
  geoPoint: {},
  relation: { cascadeDelete: flag, collectionId: text, maxSelect: whole, minSelect: whole },
  file: {
    maxSelect: whole,
    maxSize: whole,
    mimeTypes: texts,
    protected: flag,
    thumbs: texts,
  },
  password: { cost: whole, max: whole, min: whole, pattern: text },
}

type FieldBase = ValuesOf<typeof COMMON_KEYS> & { help?: string; required?: boolean }
export type FieldTypeName = keyof typeof FIELD_KEYS
/** A field of a collection with the options of its type. Keys are PocketBase's. */
export type Field = {
  [T in FieldTypeName]: FieldBase & { type: T } & ValuesOf<(typeof FIELD_KEYS)[T]>
}[FieldTypeName]
export type FieldOf<T extends FieldTypeName> = Extract<Field, { type: T }>
export type TextField = FieldOf<'text'>
export type SelectField = FieldOf<'select'>
export type RelationField = FieldOf<'relation'>
export type FileField = FieldOf<'file'>
export type PasswordField = FieldOf<'password'>

/** Whether the field's type allows lists, whatever this field's `maxSelect`. */
export const isMultiCapable = (field: Field) => 'maxSelect' in field

/** Whether a select, relation or file field holds a list (more than one value allowed). */
export const isMulti = (field: Field): boolean => 'maxSelect' in field && field.maxSelect > 1

/** A stored value: a list as string[], json as text or null, geoPoint as the text `{"lon":…,"lat":…}`. */
export type Value = string | number | boolean | string[] | null

/** Maximum bytes of a short stored value, such as a number or a date. */
export const MAX_SHORT_BYTES = 40

/** How a field's values are stored. `list`: as texts; `geo`: as JSON that is compared as it is written. */
export type ValueStorage = 'text' | 'number' | 'bool' | 'list' | 'json' | 'geo'

/** The behaviour of a field type, without the database. `engine/fields/field-types.ts` lists all types. */
export interface FieldType<F extends Field = Field> {
  /** Type of the field's column, with `not null` and default. */
  column(field: F): string
  /** How one value is stored. Several values of a field are a list. */
  readonly storage: Exclude<ValueStorage, 'list'>
  /** Maximum bytes of the field's stored value. */
  maxBytes(field: F): number
  zero(field: F): Value
  /** Converts any JSON or form value. Never fails: unreadable input gives the empty value (contract 4.2). */
  fromInput(field: F, raw: unknown): Value
  /** False if `fromInput` cannot read the input. The error is then `Must be ` and the text `expected`. */
  accepts?(raw: unknown): boolean
  readonly expected?: string
  /** Checks a value that is not empty, without the database (contract 4.5). Returns undefined if valid. */
  check?(field: F, value: Value): FieldError | undefined
}
