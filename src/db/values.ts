import pg from 'pg'

const INT8 = 20
const JSON_OID = 114
const asText = (text: string) => text

/** How values of each type arrive: see Session.query. */
export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return Number
    if (oid === JSON_OID) return asText
    return pg.types.getTypeParser(oid, format)
  },
}
