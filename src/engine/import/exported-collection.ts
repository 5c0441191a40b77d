import { UserError } from '../../platform/errors.ts'
import { isObject, parseJson } from '../../platform/tools/json.ts'
import { type PocketBaseData, type StoredRow, textOf } from './open-pocketbase.ts'

/** A collection in PocketBase's export format, with secrets. */
export type ExportedCollection = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly name: string
  readonly type: string
}

/** Receives a sentence for each thing left out or changed. */
export type Report = (sentence: string) => void

const RULES = ['listRule', 'viewRule', 'createRule', 'updateRule', 'deleteRule']

/** Converts a row of PocketBase's `_collections` to its export format. Throws a UserError if damaged. */
function readCollection(row: StoredRow): ExportedCollection {
  const parsed = [row.options, row.fields, row.indexes].map((text) => parseJson(textOf(text) || '{}'))
  const [options, fields, indexes] = parsed
  if (!isObject(options) || !Array.isArray(fields) || !fields.every(isObject) || !Array.isArray(indexes))
    throw new UserError(`data.db cannot be read: its collection ${textOf(row.name)} is damaged.`)
  return {
    ...options,
    id: textOf(row.id),
    name: textOf(row.name),
    type: textOf(row.type),
    system: Boolean(row.system),
    fields,
    indexes,
    ...Object.fromEntries(RULES.map((name) => [name, row[name] === null ? null : textOf(row[name])])),
    created: textOf(row.created),
    updated: textOf(row.updated),
  }
}

export const readCollections = (data: PocketBaseData): ExportedCollection[] =>
  [...data.rows('_collections')].map(readCollection)
