import { type FieldError, fieldError } from '../../errors.ts'
import { isObject, parseJson } from '../../tools/json.ts'
import type { Field, FieldOf, FieldType, FieldTypeName } from '../field.ts'
import { writeNumber } from '../values/json-text.ts'
import { email, url } from './address.ts'
import { file, relation, select } from './choice.ts'
import { autodate, date } from './date.ts'
import { DEFAULT_JSON_BYTES, json } from './json.ts'
import { bool, number } from './number.ts'
import { password } from './password.ts'
import { DEFAULT_EDITOR_BYTES, editor, required, text } from './text.ts'

interface Point {
  lon: number
  lat: number
}

/** `geoPoint`: stored as exactly `{"lon":1,"lat":2}`; 0/0 is empty. PocketBase: tools/types/geo_point.go */
const geoPoint: FieldType<FieldOf<'geoPoint'>> = {
  column: () => `json not null default '{"lon":0,"lat":0}'`,
  zero: () => '{"lon":0,"lat":0}',
  fromInput(_, raw) {
    const { lon, lat } = readPoint(typeof raw === 'string' ? parseJson(raw) : raw)
    return `{"lon":${writeNumber(lon)},"lat":${writeNumber(lat)}}`
  },
  accepts(raw) {
    if (raw === null || raw === '') return true
    const { lon, lat } = { ...((typeof raw === 'string' ? parseJson(raw) : raw) as Partial<Point>) }
    return Number.isFinite(lon) && Number.isFinite(lat)
  },
  expected: 'a point like {"lon":13.4,"lat":52.5}',
  check(field, value) {
    const { lon, lat } = JSON.parse(value as string) as Point
    if (lon === 0 && lat === 0) return field.required ? required() : undefined
    if (lat < -90 || lat > 90)
      return fieldError('validation_invalid_latitude', 'Latitude must be between -90 and 90 degrees')
    if (lon < -180 || lon > 180)
      return fieldError('validation_invalid_longitude', 'Longitude must be between -180 and 180 degrees')
    return undefined
  },
}

/** Reads a point. A missing or null coordinate is 0; any other value that is no number makes both 0. */
function readPoint(raw: unknown): Point {
  const { lon, lat } = isObject(raw) ? raw : {}
  const [x, y] = [lon ?? 0, lat ?? 0]
  return Number.isFinite(x) && Number.isFinite(y)
    ? { lon: x as number, lat: y as number }
    : { lon: 0, lat: 0 }
}

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

/** The error of a raw value that cannot be read as the field's; undefined if it can. */
export function readError(field: Field, raw: unknown): FieldError | undefined {
  const { accepts, expected } = fieldType(field)
  return accepts(raw) ? undefined : fieldError('validation_invalid_value', `Must be ${expected}`)
}

/** Maximum size of a file without `maxSize`. */
export const DEFAULT_FILE_BYTES = 5 << 20

/** Bytes that a field adds to the maximum body size. PocketBase: CalculateMaxBodySize of field types */
export function maxBodyBytes(field: Field): number {
  if (field.type === 'editor') return field.maxSize || DEFAULT_EDITOR_BYTES
  if (field.type === 'json') return field.maxSize || DEFAULT_JSON_BYTES
  if (field.type === 'file') return (field.maxSize || DEFAULT_FILE_BYTES) * Math.max(field.maxSelect, 1)
  return 0
}
