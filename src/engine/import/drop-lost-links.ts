import type { CatalogDraft } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { quoteName, toColumnName, toTableName } from '../collections/sql-names.ts'
import { isMulti, type RelationField } from '../fields/field.ts'
import type { Extensions } from '../records/collection-extension.ts'
import type { ReportSentence } from './exported-collection.ts'
import { findRowFault } from './find-row-fault.ts'
import { type ImportRow, readRowId } from './read-import-rows.ts'

// An import leaves out values that the API would refuse, and reports them.

export type LeftOutCounts = ReturnType<typeof countLeftOut>

export function countLeftOut(extensions: Extensions) {
  const counts = new Map<string, { count: number; readonly first: string }>()
  const note = (sentence: string, id: string) => {
    const known = counts.get(sentence)
    if (known) known.count++
    else counts.set(sentence, { count: 1, first: id })
  }
  return {
    /** Whether a row of the source's `table` must be left out. Notes why. */
    isFaulty(collection: Collection, row: ImportRow, table = collection.name): boolean {
      const fault = findRowFault(collection, row, extensions)
      if (fault) note(`${table}: # were left out: ${fault}`, readRowId(collection, row))
      return fault !== undefined
    },
    note,
    /** Reports each sentence with its count and the id of the first record. */
    report(report: ReportSentence): void {
      for (const [sentence, { count, first }] of counts)
        report(`${sentence.replace('#', () => String(count))} The first is ${first}.`)
    },
  }
}

/**
 * Empties relations to missing records, for example those that were left out, and deletes records whose
 * required relation is then empty. Returns how many were deleted.
 */
export async function dropLostRelations(
  draft: CatalogDraft,
  leftOut: LeftOutCounts,
  collections: readonly Collection[],
): Promise<number> {
  const { db, catalog } = draft
  const { note } = leftOut
  const relations = collections.flatMap((collection) =>
    collection.fields.flatMap((field) => {
      const target = field.type === 'relation' ? catalog.find(field.collectionId) : undefined
      return target && target.type !== 'view'
        ? [{ collection, field: field as RelationField, target }]
        : []
    }),
  )
  let deleted = 0
  for (let before = -1; before !== deleted; ) {
    before = deleted
    for (const { collection, field, target } of relations) {
      const { rows } = await db.query(emptyLostLinks(collection, field, target))
      for (const [id] of field.required ? [] : rows)
        note(
          `${collection.name}: # lost their ${field.name}, which was left out or is not there.`,
          String(id),
        )
      if (!field.required || rows.length === 0) continue
      const gone = await db.query(deleteEmptyLinks(collection, field), [collection.id])
      for (const [id] of gone.rows)
        note(
          `${collection.name}: # were left out: ${field.name} was left out or is not there.`,
          String(id),
        )
      deleted += gone.rows.length
    }
  }
  return deleted + (await deleteLostLinks(draft, leftOut, collections))
}

/** Deletes links of sign-in, such as `_externalAuths`, to missing records. Returns how many. */
async function deleteLostLinks(
  { db, catalog }: CatalogDraft,
  { note }: LeftOutCounts,
  all: readonly Collection[],
) {
  const links = all.filter(
    ({ system, fields }) => system && fields.some(({ name }) => name === 'recordRef'),
  )
  let deleted = 0
  for (const link of links) {
    for (const owner of catalog.all.filter(({ type }) => type === 'auth')) {
      const { rows } = await db.query(
        `delete from ${quoteName(toTableName(link))} where "collectionRef" = $1 and not exists (
          select from ${quoteName(toTableName(owner))} t where t.id = "recordRef") returning id`,
        [owner.id],
      )
      for (const [gone] of rows)
        note(`${link.name}: # were left out: recordRef was left out or is not there.`, String(gone))
      deleted += rows.length
    }
  }
  return deleted
}

const quoteTableAndColumn = (collection: Collection, field: RelationField) => ({
  table: quoteName(toTableName(collection)),
  column: quoteName(toColumnName(field.name)),
})

/** SQL that takes ids of missing records out of a relation. Returns the ids of the changed records. */
function emptyLostLinks(collection: Collection, field: RelationField, other: Collection): string {
  const { table, column } = quoteTableAndColumn(collection, field)
  const isThere = (id: string) =>
    `exists (select from ${quoteName(toTableName(other))} t where t.id = ${id})`
  return isMulti(field)
    ? `update ${table} set ${column} = array(
        select v.id from unnest(${column}) with ordinality v(id, n) where ${isThere('v.id')} order by v.n)
      where exists (select from unnest(${column}) v(id) where not ${isThere('v.id')}) returning id`
    : `update ${table} b set ${column} = '' where b.${column} <> '' and not ${isThere(`b.${column}`)} returning id`
}

/** SQL that deletes records with an empty relation, and their files. $1: the collection's id. */
function deleteEmptyLinks(collection: Collection, field: RelationField): string {
  const { table, column } = quoteTableAndColumn(collection, field)
  return `with gone as (delete from ${table} where ${column} = ${isMulti(field) ? `'{}'` : `''`} returning id),
    files as (delete from _files f using gone g where f.collection = $1 and f.record = g.id)
    select id from gone`
}
