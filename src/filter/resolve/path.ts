import type { Collection } from '../../collections/collection.ts'
import { splitBackRelation } from '../../collections/names.ts'
import { uniqueIndexOf } from '../../collections/sqlite/index-expression.ts'
import type { Field, RelationField } from '../../fields/field.ts'
import { isMulti } from '../../fields/field.ts'
import { keyword, type Operand } from '../compare/operand.ts'
import { FilterError } from '../errors.ts'
import type { Context } from './context.ts'
import { fieldOperand, jsonOperand } from './field-operand.ts'
import { joinBack, joinRelation } from './joins.ts'
import { splitModifier } from './modifier.ts'
import type { FilterRow } from './row.ts'

/** PocketBase: maxNestedRels in core/record_field_resolver_runner.go */
const MAX_RELATIONS = 6

/** Where a path begins. */
interface Start {
  readonly row: FilterRow
  /** The rows so far may be several; all must match. */
  readonly all: boolean
  /** Unknown names are NULL instead of an error, as in `@request.*`. */
  readonly lenient: boolean
}

/** Resolves a path like `device.user.name`: joins rows and returns the last field. Contract 2.1. */
export function resolvePath(context: Context, path: readonly string[], start: Start): Operand {
  return new Walk(context, path, start).run()
}

/** An unknown name; NULL where that is allowed. */
class Missing extends FilterError {}

class Walk {
  readonly #context: Context
  readonly #path: readonly string[]
  readonly #lenient: boolean
  #row: FilterRow
  #all: boolean

  constructor(context: Context, path: readonly string[], { row, all, lenient }: Start) {
    this.#context = context
    this.#path = path
    this.#row = row
    this.#all = all
    this.#lenient = lenient
  }

  run(): Operand {
    try {
      return this.#walk()
    } catch (error) {
      if (this.#lenient && error instanceof Missing) return keyword(null)
      throw error
    }
  }

  #walk(): Operand {
    for (const [i, name] of this.#path.entries()) {
      if (i === this.#path.length - 1) return this.#last(name)
      const field = this.#field(name)
      if (field?.type === 'json' || field?.type === 'geoPoint') {
        return jsonOperand(this.#row, field, this.#path.slice(i + 1), this.#all)
      }
      if (i >= MAX_RELATIONS) throw new FilterError(`max nested relations reached for field "${name}"`)
      if (!field) this.#goBack(name)
      else if (field.type !== 'relation') throw new FilterError(`field "${name}" is not a valid relation`)
      // The id of a single relation's record is the column itself, so that a deleted record still compares.
      else if (!isMulti(field) && i === this.#path.length - 2 && this.#path[i + 1] === 'id')
        return this.#last(name)
      else this.#follow(field)
    }
    throw new FilterError(`failed to resolve field "${this.#path.join('.')}"`)
  }

  #field(name: string): Field | undefined {
    const field = this.#context.catalog.field(this.#row.collection, name)
    if (field?.hidden && this.#context.reached) throw new FilterError(`non-filterable field "${name}"`)
    return field
  }

  #last(name: string): Operand {
    const [fieldName, modifier] = splitModifier(name)
    const field = this.#field(fieldName)
    if (!field) throw new Missing(`unknown field "${fieldName}"`)
    return fieldOperand(this.#context, this.#row, field, modifier, this.#all)
  }

  #follow(field: RelationField): void {
    const target = this.#context.catalog.find(field.collectionId)
    if (!target) throw new FilterError(`failed to load field "${field.name}" collection`)
    this.#row = reach(this.#context, target, joinRelation(this.#context, this.#row, field, target))
    if (isMulti(field)) this.#all = true
  }

  #goBack(name: string): void {
    const [collection, field] = this.#backRelation(name)
    this.#row = reach(this.#context, collection, joinBack(this.#context, this.#row, collection, field))
    if (isMulti(field) || !uniqueIndexOf(collection.indexes, field.name)) this.#all = true
  }

  #backRelation(name: string): [Collection, RelationField] {
    const [collectionName, fieldName] = splitBackRelation(name) ?? ['', '']
    if (!collectionName) throw new Missing(`failed to resolve field "${name}"`)
    const { catalog, reached } = this.#context
    const collection = catalog.find(collectionName)
    if (!collection) throw new Missing(`failed to load back relation field "${name}" collection`)
    const field = catalog.field(collection, fieldName)
    if (!field) throw new Missing(`missing back relation field "${fieldName}"`)
    if (field.type !== 'relation') throw new Missing(`invalid back relation field "${fieldName}"`)
    if (field.hidden && reached) throw new FilterError(`non-filterable back relation field "${fieldName}"`)
    // Nothing can refer to a record that does not exist yet.
    const isCandidate = this.#row.kind === 'known' && !this.#row.inTable
    if (field.collectionId !== this.#row.collection.id || isCandidate) {
      throw new Missing(`invalid collection reference of a back relation field "${fieldName}"`)
    }
    return [collection, field]
  }
}

/** Continues with a row of another collection under its listRule. Throws a FilterError if it is null. */
export function reach({ reached }: Context, collection: Collection, row: FilterRow): FilterRow {
  if (!reached) return row
  if (collection.listRule === null) {
    throw new FilterError(
      `"${collection.name}" fields can be accessed only when allowHiddenFields is enabled or by superusers`,
    )
  }
  if (row.kind === 'table' && row.at) reached.set(row.at, collection)
  return row
}
