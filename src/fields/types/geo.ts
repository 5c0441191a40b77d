import { fieldError } from '../../errors.ts'
import { isObject, parseJson } from '../../tools/json.ts'
import type { FieldOf, FieldType } from '../field.ts'
import { byBytes, writeNumber } from '../values/json-text.ts'
import { required } from './text.ts'

/** Degrees. */
export interface Point {
  lon: number
  lat: number
}

/** `geoPoint`: stored as exactly `{"lon":1,"lat":2}`; 0/0 is empty. PocketBase: tools/types/geo_point.go */
export const geoPoint: FieldType<FieldOf<'geoPoint'>> = {
  column: () => `json not null default '{"lon":0,"lat":0}'`,
  zero: () => '{"lon":0,"lat":0}',
  fromInput(_, raw) {
    const { lon, lat } = typeof raw === 'string' ? readPoint(parseJson(raw)) : readPoint(inOrder(raw))
    return `{"lon":${writeNumber(lon)},"lat":${writeNumber(lat)}}`
  },
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

/** Object keys in byte order, as Go writes them. */
function inOrder(raw: unknown): unknown {
  if (!isObject(raw)) return raw
  return Object.fromEntries(Object.entries(raw).sort(([a], [b]) => byBytes(a, b)))
}

/** Keys ignore case and the last one wins; non-numbers change nothing. Go: encoding/json */
function readPoint(raw: unknown): Point {
  const point: Point = { lon: 0, lat: 0 }
  if (!isObject(raw)) return point
  for (const [key, value] of Object.entries(raw)) {
    const part = key.toLowerCase()
    if ((part === 'lon' || part === 'lat') && Number.isFinite(value)) point[part] = value as number
  }
  return point
}
