import pg from 'pg'

const INT8 = 20
const JSON_OID = 114
const asText = (text: string) => text

/** How values of each type arrive, from either backend: see Session.query. */
export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return Number
    if (oid === JSON_OID) return asText
    return pg.types.getTypeParser(oid, format)
  },
}

const quoted = (item: unknown): string =>
  item === null || item === undefined ? 'NULL' : `"${String(item).replace(/["\\]/g, '\\$&')}"`

/**
 * A bound value in Postgres' text form, as the pg driver writes it: lists as `{…}`, other objects as JSON.
 */
export function toParameter(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return `{${value.map(quoted).join(',')}}`
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
