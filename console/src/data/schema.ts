import type { CollectionField, CollectionModel } from 'pocketbase'
import { t } from '../language/words.ts'
import { useAnswer } from './use/use-answer.ts'

export type Collections = readonly CollectionModel[]

/** All collections by name, for superusers. */
export const useCollections = () =>
  useAnswer<{ readonly items: Collections }>('/api/collections?perPage=1000&sort=name&skipTotal=1')

/** Whether the server itself makes all records: those of a view, and those that follow other records. */
export const isViewField = ({ type, name }: CollectionModel): boolean =>
  type === 'view' || name === 'consent_states'

/** Whether a field holds several values, as an array. */
export const isMultiRelation = ({ type, maxSelect }: CollectionField): boolean =>
  ['select', 'relation', 'file'].includes(type) && maxSelect > 1

export const findField = (collection: CollectionModel | undefined, name: string) =>
  collection?.fields.find((field) => field.name === name)

/** The collection to which a step of a path leads: a relation, or back from one (`COLLECTION_via_FIELD`). */
function followRelation(all: Collections, from: CollectionModel | undefined, step: string) {
  const field = findField(from, step)
  if (field) return all.find(({ id }) => id === field.collectionId)
  return all.find(({ name, fields }) =>
    fields.some((one) => one.collectionId === from?.id && step === `${name}_via_${one.name}`),
  )
}

/** The collection at the end of a path of relations. */
export const followRelations = (
  all: Collections,
  from: CollectionModel,
  steps: readonly string[],
) => steps.reduce<CollectionModel | undefined>((at, step) => followRelation(all, at, step), from)

const CONSTANTS: ReadonlySet<string> = new Set(['true', 'false', 'null'])

/** Why a collection has no field at a path such as `device.name:lower`; undefined if it has one. */
export function findPathFault(
  all: Collections,
  from: CollectionModel,
  path: string,
): string | undefined {
  if (path.startsWith('@') || CONSTANTS.has(path)) return undefined
  let at = from
  for (const step of path.replace(/:.*/, '').split('.')) {
    const next = followRelation(all, at, step)
    if (!next)
      return findField(at, step)
        ? undefined
        : t('{collection} has no field {field}.', { collection: at.name, field: step })
    at = next
  }
  return undefined
}

/** Why a path of `expand` leads to no records; undefined if it does. */
export function findExpandFault(
  all: Collections,
  from: CollectionModel,
  path: string,
): string | undefined {
  return followRelations(all, from, path.split('.'))
    ? undefined
    : t('{path} is no relation of {collection}.', { path, collection: from.name })
}
