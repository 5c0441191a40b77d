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

/** A field of a collection with the options of its type. */
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
export type FieldTypeName = Field['type']
export type FieldOf<T extends FieldTypeName> = Extract<Field, { type: T }>

/** Whether the type can hold a list at all, whatever this field's `maxSelect`. */
export const isMultiCapable = (field: Field) =>
  field.type === 'select' || field.type === 'relation' || field.type === 'file'

/** Whether a select, relation or file field holds a list (more than one value allowed). */
export const isMulti = (field: Field): boolean => isMultiCapable(field) && field.maxSelect > 1

/**
 * A field's value in the program and in a database row. Text-like, date, single select/relation/file: string;
 * number: number; bool: boolean; multi: string[]; json: its JSON text, or null when unset; geoPoint: its JSON
 * text `{"lon":…,"lat":…}`.
 */
export type Value = string | number | boolean | string[] | null

/** The behaviour of a field type. Pure: no database. `fields/types/field-types.ts` lists all. */
export interface FieldType<F extends Field = Field> {
  /** Column type with `not null` and default. */
  column(field: F): string
  /** The empty value. */
  zero(field: F): Value
  /** Converts any JSON or form value. Never fails: unreadable input becomes zero (contract 4.2). */
  fromInput(field: F, raw: unknown): Value
  /** Checks that need no database (contract 4.5). Undefined: valid. */
  check(field: F, value: Value): FieldError | undefined
  /** Export keys of a new field of this type with defaults (contract 7.5), without the base keys. */
  defaults: Readonly<Record<string, unknown>>
}
