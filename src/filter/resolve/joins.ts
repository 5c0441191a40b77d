import type { Collection } from '../../collections/catalog.ts'
import { uniqueIndexOf } from '../../collections/sqlite/index-expression.ts'
import { type Field, isMulti, type RelationField } from '../../fields/field.ts'
import { FilterError } from '../errors.ts'
import { columnOf, type JoinedRow, type JoinSource, ROWID, SELECT, sql } from '../sql/sql.ts'
import { type Context, column, type FilterRow, table } from './row.ts'

/** The name under which a row's join is shared; the caller's record has other names than the base. */
const keyOf = ({ values, isNew }: FilterRow, name: string): string =>
  values && !isNew ? `auth.${name}` : name

const joinedRow = (collection: Collection, at: JoinedRow): FilterRow => ({ collection, at, nullable: true })

export const inInsertionOrder = (collection: Collection): Pick<JoinSource, 'order'> =>
  collection.type === 'view' ? {} : { order: (alias) => [columnOf(alias, ROWID)] }

/** Joins the values of a list column in order, one per row; one NULL for an empty list. */
export function joinValues({ scope }: Context, row: FilterRow, field: Field): JoinedRow {
  const list = column(row, field)
  return scope.join(keyOf(row, `${field.name}[]`), row.at, true, () => ({
    from: sql`LATERAL unnest(${list}) WITH ORDINALITY`,
    columns: '(value, ord)',
    order: (alias) => sql`${alias}.ord`,
  }))
}

/** Joins a relation's records. Looks up those of a list one by one: 27 ms instead of 875. */
export function joinRelation(context: Context, row: FilterRow, field: RelationField, target: Collection) {
  if (isMulti(field)) {
    const values = joinValues(context, row, field)
    const from = sql`LATERAL (${SELECT}t.* FROM ${table(target)} t WHERE t."id" = ${values}.value OFFSET 0)`
    const at = context.scope.join('value', values, false, () => ({ from }))
    return { ...joinedRow(target, at), list: column(row, field) }
  }
  const id = column(row, field)
  const on = (alias: JoinedRow) => sql`${columnOf(alias, 'id')} = ${id}`
  const source = () => ({ from: table(target), on })
  const at = context.scope.join(keyOf(row, field.name), row.at, false, source)
  return joinedRow(target, at)
}

/** Joins the records of `collection` whose `field` names the row: at most one if a unique index says so. */
export function joinBack(context: Context, row: FilterRow, collection: Collection, field: RelationField) {
  const id = column(row, idField(context, row))
  const on = (alias: JoinedRow) => {
    const reference = column(joinedRow(collection, alias), field)
    return isMulti(field) ? sql`${reference} @> ARRAY[${id}]` : sql`${reference} = ${id}`
  }
  const unique = uniqueIndexOf(collection.indexes, field.name)
  const many = isMulti(field) || !unique || unique.where !== ''
  const source = () => ({ from: table(collection), on, ...inInsertionOrder(collection) })
  const key = keyOf(row, `${collection.name}_via_${field.name}`)
  return joinedRow(collection, context.scope.join(key, row.at, many, source))
}

function idField({ catalog }: Context, row: FilterRow): Field {
  const field = catalog.field(row.collection, 'id')
  if (!field) throw new FilterError(`missing id of collection "${row.collection.name}"`)
  return field
}
