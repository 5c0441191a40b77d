import pg from 'pg'

const INT8 = 20
const JSON_OID = 114

/** Parsers of values by their Postgres type. `Session` lists the results. */
export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return Number
    if (oid === JSON_OID) return String
    return pg.types.getTypeParser(oid, format)
  },
}
