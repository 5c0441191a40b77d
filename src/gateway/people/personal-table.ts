import { type RawBuilder, sql } from 'kysely'
import { matchAny } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { Person } from './person.ts'

/** SQL: the ids of texts, as an array. */
export type Texts = RawBuilder<readonly string[]>

/** SQL: whether a row `t` of a table belongs to a person. `texts`: the texts to and from the person. */
export type Rows = (person: Person, texts: Texts) => RawBuilder<boolean>

/** A place where data of persons stands: a table, which of its rows belong to a person, and how they end. */
export interface Place {
  readonly table: keyof Tables
  /** The heading in an export. */
  readonly title: string
  readonly rows: Rows
  /** The columns that an export shows. Without any, the place only repeats what other places show. */
  readonly shown: readonly string[]
  /** The column by which an export reads the rows. */
  readonly key: string
  /**
   * What an erasure does. `delete`: it deletes the rows. `records`: it deletes the records and those that
   * belong to them. Values by column: it overwrites the columns; a function makes the value of a column from
   * the person and the name.
   */
  readonly erasure: 'delete' | 'records' | Readonly<Record<string, Erased>>
  /** The rows are about others, too: fields that superusers added stay. */
  readonly isShared?: true
  /** What stands in the change log after an erasure, by column. Left out: the values of `erasure`. */
  readonly logged: Readonly<Record<string, string | null | readonly []>>
}

type Given = Pick<Place, 'table' | 'title' | 'rows' | 'erasure'> & Partial<Place>

/** A place. Left out: no columns are shown, records are read by `_rowid`, nothing is logged. */
export const makePlace = (given: Given): Place => ({
  shown: [],
  key: '_rowid',
  logged: {},
  ...given,
})

export const DATES = ['created', 'updated']

export type Erased =
  | string
  | null
  | readonly []
  | ((person: Person, name: string) => RawBuilder<unknown>)

/** SQL: whether a column of the row `t` contains the number of the person in any spelling. */
export const containsNumber = (
  person: Person,
  ...columns: readonly string[]
): RawBuilder<boolean> =>
  sql`(${sql.join(
    columns.map((column) => sql`coalesce(${sql.ref(`t.${column}`)}::text, '')`),
    sql` || ' ' || `,
  )} ~ ${person.spellings})`

/** Rows of an account with the number of the person in a column. */
export const matchNumber =
  (column = 'number'): Rows =>
  ({ user, forms }) =>
    sql`(t."user" = ${user} and ${sql.ref(`t.${column}`)} = ${matchAny(forms)})`

/** Rows that belong to texts of the person by a column. */
export const selectByTexts =
  (column = 'message'): Rows =>
  (_, texts) =>
    sql`(${sql.ref(`t.${column}`)} = any(${texts}))`

/** Rows that belong to the conversation with the person. */
export const selectByConversation: Rows = ({
  user,
  forms,
}) => sql`(t."user" = ${user} and t.conversation in (
  select c.id from conversations c where c."user" = ${user} and c.number = ${matchAny(forms)}))`

/** SQL: the texts `e.one` of a JSON list; none of another JSON value, such as null. */
export const unnestJsonTexts = (column: string): RawBuilder<unknown> =>
  sql`json_array_elements_text(case json_typeof(${sql.ref(`t.${column}`)}) when 'array'
    then ${sql.ref(`t.${column}`)} else '[]' end) e(one)`

/** SQL: a JSON list of texts without the number of the person. */
export const removeNumber =
  (column: string) =>
  ({ forms }: Person): RawBuilder<unknown> =>
    sql`(select coalesce(json_agg(e.one), '[]') from ${unnestJsonTexts(column)} where not e.one = ${matchAny(forms)})`

/** SQL: whether a JSON list of texts contains the number of the person. */
export const listNames = (column: string, { forms }: Person): RawBuilder<boolean> =>
  sql`coalesce(${sql.join(
    forms.map((form) => sql`strpos(${sql.ref(`t.${column}`)}::text, ${JSON.stringify(form)}) > 0`),
    sql` or `,
  )}, false)`
