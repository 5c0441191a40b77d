import { UserError } from '../../platform/api-errors.ts'
import { isObject, parseJson } from '../../platform/tools/json.ts'
import { type PocketBaseData, readSqliteText, type StoredRow } from './open-pocketbase.ts'

/** A collection in PocketBase's export format, with secrets. */
export type ExportedCollection = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly name: string
  readonly type: string
}

/** Receives a sentence for each thing left out or changed. */
export type ReportSentence = (sentence: string) => void

const RULES = ['listRule', 'viewRule', 'createRule', 'updateRule', 'deleteRule']

/** Converts a row of PocketBase's `_collections` to its export format. Throws a UserError if damaged. */
function readCollection(row: StoredRow): ExportedCollection {
  const parsed = [row.options, row.fields, row.indexes].map((text) =>
    parseJson(readSqliteText(text) || '{}'),
  )
  const [options, fields, indexes] = parsed
  if (
    !isObject(options) ||
    !Array.isArray(fields) ||
    !fields.every(isObject) ||
    !Array.isArray(indexes)
  )
    throw new UserError(
      `data.db cannot be read: its collection ${readSqliteText(row.name)} is damaged.`,
    )
  return {
    ...options,
    id: readSqliteText(row.id),
    name: readSqliteText(row.name),
    type: readSqliteText(row.type),
    system: Boolean(row.system),
    fields,
    indexes,
    ...Object.fromEntries(
      RULES.map((name) => [name, row[name] === null ? null : readSqliteText(row[name])]),
    ),
    created: readSqliteText(row.created),
    updated: readSqliteText(row.updated),
  }
}

export const readCollections = (data: PocketBaseData): ExportedCollection[] =>
  [...data.rows('_collections')].map(readCollection)
