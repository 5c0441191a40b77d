import type { Catalog } from '../../engine/collections/catalog.ts'
import type { Collection } from '../../engine/collections/collection.ts'
import { isNeededField } from '../../engine/collections/definition/built-in-collections.ts'
import { toColumnName } from '../../engine/collections/sql-names.ts'
import type { Field } from '../../engine/fields/field.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { type MentionStep, makeRecordStep } from '../base/personal-data.ts'

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

export function addFieldsToMentionSteps(
  catalog: Catalog,
  steps: readonly MentionStep[],
): readonly MentionStep[] {
  const known: ReadonlySet<string> = new Set(
    steps.flatMap(({ mentions }) => mentions.map(({ table }) => table)),
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
  return [...steps, ...more].map(({ mentions, ...step }) => ({
    ...step,
    mentions: mentions.map((mention) => ({
      ...mention,
      columns: [...mention.columns, ...listAddedWords(catalog, catalog.find(mention.table))],
    })),
  }))
}
