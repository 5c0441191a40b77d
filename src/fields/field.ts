import type { FieldError } from '../errors.ts'

/** What every field of a collection has. Key names and meaning are PocketBase's export format. */
interface FieldBase {
  id: string
  name: string
  hidden: boolean
  presentable: boolean
  system: boolean
  help?: string
  required?: boolean
}

export interface TextField extends FieldBase {
  type: 'text'
  autogeneratePattern: string
  max: number
  min: number
  pattern: string
  primaryKey: boolean
}
export interface NumberField extends FieldBase {
  type: 'number'
  max: number | null
  min: number | null
  onlyInt: boolean
}
export interface BoolField extends FieldBase {
  type: 'bool'
}
export interface EmailField extends FieldBase {
  type: 'email'
  exceptDomains: string[] | null
  onlyDomains: string[] | null
}
export interface UrlField extends FieldBase {
  type: 'url'
  exceptDomains: string[] | null
  onlyDomains: string[] | null
}
export interface EditorField extends FieldBase {
  type: 'editor'
  convertURLs: boolean
  maxSize: number
}
export interface DateField extends FieldBase {
  type: 'date'
  max: string
  min: string
}
export interface AutodateField extends FieldBase {
  type: 'autodate'
  onCreate: boolean
  onUpdate: boolean
}
export interface SelectField extends FieldBase {
  type: 'select'
  maxSelect: number
  values: string[]
}
export interface JsonField extends FieldBase {
  type: 'json'
  maxSize: number
}
export interface GeoPointField extends FieldBase {
  type: 'geoPoint'
}
export interface RelationField extends FieldBase {
  type: 'relation'
  cascadeDelete: boolean
  collectionId: string
  maxSelect: number
  minSelect: number
}
export interface FileField extends FieldBase {
  type: 'file'
  maxSelect: number
  maxSize: number
  mimeTypes: string[] | null
  protected: boolean
  thumbs: string[] | null
}
export interface PasswordField extends FieldBase {
  type: 'password'
  cost: number
  max: number
  min: number
  pattern: string
}

/** A field of a collection, with the options of its type. */
export type Field =
  | TextField
  | NumberField
  | BoolField
  | EmailField
  | UrlField
  | EditorField
  | DateField
  | AutodateField
  | SelectField
  | JsonField
  | GeoPointField
  | RelationField
  | FileField
  | PasswordField
/** The name of a type of fields. */
export type FieldTypeName = Field['type']
export type FieldOf<T extends FieldTypeName> = Extract<Field, { type: T }>

/** True for a select, relation or file field that holds a list (more than one value allowed). */
export function isMulti(field: Field): boolean {
  return (
    (field.type === 'select' || field.type === 'relation' || field.type === 'file') && field.maxSelect > 1
  )
}

/** True for the types that can hold a list at all, whatever this field's `maxSelect`. */
export const isMultiCapable = (field: Field) =>
  field.type === 'select' || field.type === 'relation' || field.type === 'file'

/**
 * A field's value inside the program, and in a row as the database gives it:
 * text-like, date, single select/relation/file → string; number → number; bool → boolean; multi → string[];
 * json → its JSON text, or null when unset; geoPoint → its JSON text `{"lon":…,"lat":…}`.
 */
export type Value = string | number | boolean | string[] | null

/**
 * What one field type can do. Pure: nothing here knows a database. `fields/types/field-types.ts` finds it by
 * name.
 */
export interface FieldType<F extends Field = Field> {
  /** Type of its column, with `not null` and default. */
  column(field: F): string
  /** The value of a record that has none. */
  zero(field: F): Value
  /**
   * Any JSON or form value → what is stored. Never fails: what cannot be read falls to zero (contract 4.2).
   */
  fromInput(field: F, raw: unknown): Value
  /** A stored value → its JSON text in an answer (contract 3.3). */
  toJson(field: F, value: Value): string
  /** Everything that can be judged without a database (contract 4.5). Undefined: fine. */
  check(field: F, value: Value): FieldError | undefined
  /** Column keys of a fresh field of this type with their defaults (contract 7.5), without the base keys. */
  defaults: Readonly<Record<string, unknown>>
}
