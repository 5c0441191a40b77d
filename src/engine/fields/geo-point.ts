import { makeFieldError } from '../../platform/api-errors.ts'
import { isObject, parseJson } from '../../platform/tools/json.ts'
import type { FieldOf, FieldType } from './field.ts'
import { writeNumber } from './json-text.ts'
import { makeRequiredError } from './scalar-types.ts'

interface Point {
  lon: number
  lat: number
}

/** `geoPoint`: stored as exactly `{"lon":1,"lat":2}`; 0/0 is empty. PocketBase: tools/types/geo_point.go */
export const geoPointType: FieldType<FieldOf<'geoPoint'>> = {
  column: () => `json not null default '{"lon":0,"lat":0}'`,
  storage: 'geo',
  maxBytes: () => 100,
  zero: () => '{"lon":0,"lat":0}',
  fromInput(_, raw) {
    const { lon, lat } = readGeoPoint(typeof raw === 'string' ? parseJson(raw) : raw)
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
    if (lon === 0 && lat === 0) return field.required ? makeRequiredError() : undefined
    if (lat < -90 || lat > 90)
      return makeFieldError(
        'validation_invalid_latitude',
        'Latitude must be between -90 and 90 degrees',
      )
    if (lon < -180 || lon > 180)
      return makeFieldError(
        'validation_invalid_longitude',
        'Longitude must be between -180 and 180 degrees',
      )
    return undefined
  },
}

/** Reads a point. A missing or null coordinate is 0. Any other value that is no number makes both 0. */
function readGeoPoint(raw: unknown): Point {
  const { lon, lat } = isObject(raw) ? raw : {}
  const [x, y] = [lon ?? 0, lat ?? 0]
  return Number.isFinite(x) && Number.isFinite(y)
    ? { lon: x as number, lat: y as number }
    : { lon: 0, lat: 0 }
}
