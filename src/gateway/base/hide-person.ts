import { type RawBuilder, sql } from 'kysely'
import type { Person } from './personal-data.ts'

/** A shorter name may be a part of other words. */
const MIN_NAME = 4
/** Digits and letters of scripts that separate words. */
const LETTER = '[0-9A-Za-z\\u00c0-\\u1fff]'

/** JSON's escape of a character, with hexadecimal digits of both cases. */
const writeJsonEscape = (character: string) =>
  character.replace(/./gs, (unit) => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\\\u${hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)}`
  })

/** A character as texts and JSON write it: escaped or not, and its accents as characters of their own. */
function writeCharacter(character: string): string {
  if (/[\w\s]/.test(character)) return character
  if (character <= '\x7f') return `\\\\?\\${character}`
  const escaped = character.replace(/[^\p{L}\p{M}\p{N}\s]/gu, '\\$&')
  return `(?:${[escaped, escaped.normalize('NFD'), writeJsonEscape(character)].join('|')})`
}

/** A regular expression of Postgres for a name; a short name only as a word of its own. */
function writeNamePattern(name: string): string {
  const escaped = [...name.normalize('NFC')].map(writeCharacter).join('')
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

const writeHideArguments = ({ spellings }: Person, name: string) =>
  sql`${spellings}, ${name === '' ? null : writeNamePattern(name)}`

/**
 * SQL: a text or JSON without the number of a person, in any spelling, and without the name. Names of members
 * of JSON stay: by them, programs and templates find the values of others.
 */
export const writePersonHideSql = (
  text: RawBuilder<unknown>,
  person: Person,
  name: string,
): RawBuilder<unknown> => sql`person_hide(${text}, ${writeHideArguments(person, name)})`

/** The same for JSON of the person's own rows, also in names of members. */
export const writeOwnHideSql = (
  json: RawBuilder<unknown>,
  person: Person,
  name: string,
): RawBuilder<unknown> => sql`person_hide_own(${json}, ${writeHideArguments(person, name)})`
