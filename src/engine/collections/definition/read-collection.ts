import {
  flag,
  makeObjectShape,
  optionalText,
  requireObject,
  type Shape,
  text,
  texts,
} from '../../fields/json-shapes.ts'
import { AUTH_KEYS } from '../auth-shape.ts'
import type { Collection, CollectionType } from '../collection.ts'
import { makeFirstFields } from './complete-collection.ts'
import { date, fieldList } from './read-field.ts'

const COLLECTION_KEYS = {
  id: text,
  listRule: optionalText,
  viewRule: optionalText,
  createRule: optionalText,
  updateRule: optionalText,
  deleteRule: optionalText,
  name: text,
  type: text,
  fields: fieldList,
  indexes: texts,
  created: date,
  updated: date,
  system: flag,
}

const toCollectionShape = (keys: object) =>
  makeObjectShape(keys as Record<never, never>) as Shape<unknown> as Shape<Collection>

/** Keys of each collection type in PocketBase's order. An unknown type is read as base and refused later. */
const SHAPES: Record<CollectionType, Shape<Collection>> = {
  base: toCollectionShape(COLLECTION_KEYS),
  auth: toCollectionShape({ ...COLLECTION_KEYS, ...AUTH_KEYS }),
  view: toCollectionShape({ ...COLLECTION_KEYS, viewQuery: text }),
}
const findTypeShape = (type: string) =>
  Object.hasOwn(SHAPES, type) ? SHAPES[type as CollectionType] : SHAPES.base

/** Keys of all collection types. Even a key that the collection's type ignores must have a valid value. */
const EVERY = toCollectionShape({ ...COLLECTION_KEYS, ...AUTH_KEYS, viewQuery: text })

function layOver(raw: unknown, shape: Shape<Collection>, under: Collection): Collection {
  EVERY.over(raw, EVERY.zero())
  return shape.over(raw, under)
}

const readSubmittedType = (raw: unknown): string => text.over(requireObject(raw).type ?? null, '')

/** Reads a stored collection, perhaps of an older release, and adds missing keys. */
export function parseStoredCollection(data: string): Collection {
  const raw = JSON.parse(data)
  const shape = findTypeShape(raw.type)
  return shape.over(raw, shape.zero())
}

/** Reads a new collection; its type is base if none is submitted. Throws a ShapeError. */
export function parseNewCollection(raw: unknown): Collection {
  const type = readSubmittedType(raw) || 'base'
  const shape = findTypeShape(type)
  const fresh = {
    ...shape.fresh(),
    ...(Object.hasOwn(SHAPES, type) ? {} : { fields: makeFirstFields() }),
  }
  return { ...layOver(raw, shape, fresh as Collection), type } as Collection
}

/** Merges submitted JSON into a collection. Missing keys keep their values. Throws a ShapeError. */
export function parseChangedCollection(raw: unknown, old: Collection): Collection {
  const shape = findTypeShape(readSubmittedType(raw) || old.type)
  const laid = layOver(raw, shape, { ...shape.zero(), ...old })
  return { ...laid, type: laid.type || 'base' } as Collection
}
