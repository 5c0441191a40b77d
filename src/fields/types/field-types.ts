import type { Field, FieldOf, FieldType, FieldTypeName } from '../field.ts'
import { email, url } from './address.ts'
import { file, relation, select } from './choice.ts'
import { autodate, date } from './date.ts'
import { geoPoint } from './geo.ts'
import { json } from './json.ts'
import { bool, number } from './number.ts'
import { password } from './password.ts'
import { editor, text } from './text.ts'

const FIELD_TYPES: { readonly [T in FieldTypeName]: FieldType<FieldOf<T>> } = {
  text,
  number,
  bool,
  email,
  url,
  editor,
  date,
  autodate,
  select,
  json,
  geoPoint,
  relation,
  file,
  password,
}

export const fieldType = (field: Field): FieldType => FIELD_TYPES[field.type] as FieldType
