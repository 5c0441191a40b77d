import { type RawBuilder, sql } from 'kysely'
import { matchAny } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'

/** A person as one account knows them: by a number in E.164, or as `findConversationNumber` found it. */
export interface Person {
  /** The id of the account. */
  readonly user: string
  readonly number: string
  /** The number, and its other forms under which older rows may be stored. */
  readonly forms: readonly string[]
  /** A regular expression of Postgres for the number in all its spellings. */
  readonly spellings: string
}

/** Where a feature stores data of persons. Exports and erasures work on the sum of all features. */
export interface PersonalData {
  readonly places?: readonly Place[]
  /** Tables whose words may name a person, though their rows are about others. */
  readonly mentions?: readonly MentionStep[]
  /** Its other tables, and why none of their rows needs an erasure. A test asks for each table. */
  readonly noPlaces?: Readonly<Partial<Record<keyof Tables, string>>>
}

/** SQL: the ids of texts, as an array. */
export type Texts = RawBuilder<readonly string[]>

/** SQL: whether a row `t` of a table belongs to a person. `texts`: the texts to and from the person. */
export type PersonRows = (person: Person, texts: Texts) => RawBuilder<boolean>

/** A place with data of persons: a table, which of its rows belong to a person, and how these are erased. */
export interface Place {
  readonly table: keyof Tables
  readonly title: string
  readonly rows: PersonRows
  /** The columns that an export shows. Without any, the place only repeats what other places show. */
  readonly shown: readonly string[]
  /**
   * Columns that the page for people shows, in this order. The page leaves out what only programs use,
   * and a place without any.
   */
  readonly onPage: readonly string[]
  /** The column by which an export reads the rows. */
  readonly key: string
  /**
   * The way of an erasure. `delete`: it deletes the rows. `records`: it deletes the records and those that
   * belong to them. Values by column: it overwrites the columns; a function makes the value of a column from
   * the person and the name.
   */
  readonly erasure: 'delete' | 'records' | Readonly<Record<string, Erased>>
  /**
   * When an erasure empties the place. `texts`: with each portion of texts, to which its rows belong.
   * `first`: before the texts, which then still name the person, and again at the end. `last`: at the end.
   */
  readonly phase: 'texts' | 'first' | 'last'
  /** Tables that an erasure of the same phase empties before: their rows are found by this place. */
  readonly after: readonly (keyof Tables)[]
  /** The rows are about others, too: fields that superusers added stay. */
  readonly isShared?: true
  /** The values that the change log has after an erasure, by column. Left out: those of `erasure`. */
  readonly logged: Readonly<Record<string, string | null | readonly []>>
}

type Given = Pick<Place, 'table' | 'title' | 'rows' | 'erasure'> & Partial<Place>

/** A place. Left out: it is erased last, shows no columns, is read by `_rowid`, and nothing is logged. */
export const makePlace = (given: Given): Place => ({
  phase: 'last',
  shown: [],
  onPage: [],
  key: '_rowid',
  logged: {},
  after: [],
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

export const matchNumber =
  (column = 'number'): PersonRows =>
  ({ user, forms }) =>
    sql`(t."user" = ${user} and ${sql.ref(`t.${column}`)} = ${matchAny(forms)})`

export const selectByTexts =
  (column = 'message'): PersonRows =>
  (_, texts) =>
    sql`(${sql.ref(`t.${column}`)} = any(${texts}))`

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

/** SQL: the texts `m` to and from a person. The number may also be that of a line of the account. */
export const writePersonCondition = ({ user, number }: Person): RawBuilder<boolean> => sql`(
  m."user" = ${user} and (m."to" = ${number} and m.message_type = 'outgoing'
    or m."from" = ${number} and m."from" <> '' and m.message_type = 'incoming'))`

/** Rows of the first table of a step, by `_rowid`. */
export interface RowRange {
  readonly user: string
  readonly after: number
  readonly last: number
}

/** A table whose words may name a person, though its rows are about others. */
export interface Mention {
  readonly table: keyof Tables
  readonly columns: readonly string[]
  /** One of the columns: no two rows of the account have the same value. */
  readonly unique?: string
  /** Rows with the name of the person alone match, too: their numbers are hidden when they are stored. */
  readonly byName?: true
  /** The column that names a row. */
  readonly key: string
  /** SQL: whether a row `t` belongs to the page. */
  readonly rows: (page: RowRange) => RawBuilder<boolean>
}

/** Tables that are looked through together. Without `paged`, the rows are few, and looked through at once. */
export interface MentionStep {
  readonly paged?: keyof Tables
  readonly mentions: readonly Mention[]
}

export const writePageCondition = (row: string, { user, after, last }: RowRange) =>
  sql<boolean>`(${sql.ref(`${row}.user`)} = ${user} and ${sql.ref(`${row}._rowid`)} > ${after}
    and ${sql.ref(`${row}._rowid`)} <= ${last})`

export const makeRecordMention = (
  table: keyof Tables,
  columns: readonly string[],
  unique?: string,
): Mention => ({
  table,
  columns,
  key: 'id',
  rows: (page) => writePageCondition('t', page),
  ...(unique && { unique }),
})

/** A collection with the field `user`, page by page. */
export const makeRecordStep = (
  ...[table, columns, unique]: Parameters<typeof makeRecordMention>
): MentionStep => ({
  paged: table,
  mentions: [makeRecordMention(table, columns, unique)],
})

/** A table with few rows of an account. `account`: the column that names it. */
export const makeSmallStep = (
  table: keyof Tables,
  columns: readonly string[],
  key: string,
  account: string,
): MentionStep => ({
  mentions: [
    { table, columns, key, rows: ({ user }) => sql`${sql.ref(`t.${account}`)} = ${user}` },
  ],
})
