import { type RawBuilder, sql } from 'kysely'
import type { Catalog } from '../../engine/collections/catalog.ts'
import type { Collection } from '../../engine/collections/collection.ts'
import { isNeededField } from '../../engine/collections/definition/built-in-collections.ts'
import { toColumnName } from '../../engine/collections/sql-names.ts'
import type { Field } from '../../engine/fields/field.ts'
import type { Tables } from '../../platform/db/tables.ts'

/** Rows of the first table of a step, by `_rowid`. */
export interface Page {
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
  /** The column that names a row. */
  readonly key: string
  /** SQL: whether a row `t` belongs to the page. */
  readonly rows: (page: Page) => RawBuilder<boolean>
}

/** Tables that are looked through together. Without `paged`, the rows are few, and looked through at once. */
export interface Step {
  readonly paged?: keyof Tables
  readonly mentions: readonly Mention[]
}

const writePageCondition = (row: string, { user, after, last }: Page) =>
  sql<boolean>`(${sql.ref(`${row}.user`)} = ${user} and ${sql.ref(`${row}._rowid`)} > ${after}
    and ${sql.ref(`${row}._rowid`)} <= ${last})`

const makeRecordMention = (
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
const makeRecordStep = (
  ...[table, columns, unique]: Parameters<typeof makeRecordMention>
): Step => ({
  paged: table,
  mentions: [makeRecordMention(table, columns, unique)],
})

const selectDeliveryRows: Mention['rows'] = (page) =>
  sql`t.delivery = any(array(select d.id from webhook_deliveries d where ${writePageCondition('d', page)}))`

/** Where words of an account may name a person. `test/gateway/people/no-places`: why other columns do not. */
const STEPS: readonly Step[] = [
  {
    paged: 'sms_messages',
    mentions: [
      makeRecordMention('sms_messages', ['body', 'error_message', 'client_ref'], 'client_ref'),
      {
        table: 'sms_origins',
        columns: ['id', 'data'],
        unique: 'id',
        key: 'ref',
        rows: (page) => sql`t.ref = any(array(
          select unnest(array[m.id, m.batch_id]) from sms_messages m where ${writePageCondition('m', page)}))`,
      },
    ],
  },
  makeRecordStep('sms_events', ['detail']),
  {
    paged: 'webhook_deliveries',
    mentions: [
      {
        table: 'webhook_payloads',
        columns: ['image', 'target'],
        key: 'delivery',
        rows: selectDeliveryRows,
      },
      { table: 'webhook_headers', columns: ['headers'], key: 'delivery', rows: selectDeliveryRows },
      makeRecordMention('webhook_deliveries', ['response_body']),
      { table: 'webhook_dispatch', columns: ['target'], key: 'delivery', rows: selectDeliveryRows },
    ],
  },
  makeRecordStep('contacts', ['name', 'data']),
  makeRecordStep('contact_groups', ['name'], 'name'),
  makeRecordStep('conversations', ['name', 'last_text', 'failure']),
  makeRecordStep('conversation_notes', ['text']),
  makeRecordStep('conversation_drafts', ['text']),
  makeRecordStep('campaigns', ['name', 'body', 'variables', 'error']),
  makeRecordStep('person_requests', ['reason', 'error']),
  makeRecordStep('senders', ['name']),
  makeRecordStep('api_keys', ['name']),
  makeRecordStep('auto_answers', ['name']),
  makeRecordStep('hooks', ['name']),
  makeRecordStep('sms_templates', ['name']),
  {
    mentions: [
      {
        table: '_jobs',
        columns: ['payload', 'error'],
        key: 'id',
        rows: ({ user }) => sql`t.holder = ${user}`,
      },
      {
        table: 'device_carriers',
        columns: ['fault'],
        key: 'device',
        rows: ({ user }) => sql`t."user" = ${user}`,
      },
    ],
  },
]

const WORDS: ReadonlySet<string> = new Set(['text', 'editor', 'url', 'email', 'json'])

/** The fields that superusers added to a built-in collection. */
export const listAddedFields = ({ builtIn }: Catalog, collection: Collection): Field[] =>
  collection.fields.filter((field) => !isNeededField(builtIn, collection, field))

const listAddedWords = (catalog: Catalog, collection: Collection | undefined): string[] =>
  collection
    ? listAddedFields(catalog, collection)
        .filter(({ type }) => WORDS.has(type))
        .map(({ name }) => toColumnName(name))
    : []

/** Where words of an account may name a person, in the fields that superusers added, too. */
export function listMentionSteps(catalog: Catalog): readonly Step[] {
  const known: ReadonlySet<string> = new Set(
    STEPS.flatMap(({ mentions }) => mentions.map(({ table }) => table)),
  )
  const more = catalog.all
    .filter(
      (one) =>
        catalog.isBuiltIn(one) &&
        !known.has(one.name) &&
        one.fields.some(({ name }) => name === 'user'),
    )
    .filter((one) => listAddedWords(catalog, one).length > 0)
    .map(({ name }) => makeRecordStep(name as keyof Tables, []))
  return [...STEPS, ...more].map(({ mentions, ...step }) => ({
    ...step,
    mentions: mentions.map((mention) => ({
      ...mention,
      columns: [...mention.columns, ...listAddedWords(catalog, catalog.find(mention.table))],
    })),
  }))
}
