import { type RawBuilder, sql } from 'kysely'
import type { Person } from './personal-data.ts'

/** A shorter name may be a part of other words. */
const MIN_NAME = 4
/** Digits and letters of scripts that separate words. */
const LETTER = '[0-9A-Za-z\\u00c0-\\u1fff]'

/** A regular expression of Postgres for a name; a short name only as a word of its own. */
function writeNamePattern(name: string): string {
  const escaped = name.replace(/[^\p{L}\p{M}\p{N}\s]/gu, '\\$&')
  return [...name].length < MIN_NAME ? `(?<!${LETTER})${escaped}(?!${LETTER})` : escaped
}

/** SQL: whether a column of the row `t` contains a name. */
export const containsName = (name: string, columns: readonly string[]): RawBuilder<boolean> =>
  name === ''
    ? sql`false`
    : sql`(${sql.join(
        columns.map((column) => sql`${sql.ref(`t.${column}`)}::text ~ ${writeNamePattern(name)}`),
        sql` or `,
      )})`

/** SQL: a text or JSON without the number of a person, in any spelling, and without the name. */
export function writePersonHideSql(
  text: RawBuilder<unknown>,
  { spellings }: Person,
  name: string,
): RawBuilder<unknown> {
  return sql`person_hide(${text}, ${spellings}, ${name === '' ? null : writeNamePattern(name)})`
}
