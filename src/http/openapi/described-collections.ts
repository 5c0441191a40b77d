import { type Collection, SUPERUSERS } from '../../engine/collections/collection.ts'
import {
  type BuiltIn,
  makeBuiltInCollections,
} from '../../engine/collections/definition/built-in-collections.ts'
import { makeSystemCollections } from '../../engine/collections/definition/system-collections.ts'
import type { Field } from '../../engine/fields/field.ts'

export type DescribedCollection = Collection & { readonly about?: string }

/** The collections that OpenAPI describes, their fields with descriptions as `help`. */
export const listDescribedCollections = (builtIn: BuiltIn): DescribedCollection[] => [
  ...makeBuiltInCollections(builtIn).map((collection) => describeCollection(builtIn, collection)),
  ...makeSystemCollections()
    .filter(({ name }) => name === SUPERUSERS)
    .map((one) => ({ ...one, about: 'Superusers, who may see and do everything.' })),
]

function describeCollection({ raw }: BuiltIn, collection: Collection): DescribedCollection {
  const { about, fields = [] } = raw.get(collection.id) ?? {}
  const helps = new Map(fields.map((field) => [field.name, field.about]))
  const withHelp = (field: Field) =>
    ({ ...field, help: field.help || (helps.get(field.name) ?? '') }) as Field
  return { ...collection, about, fields: collection.fields.map(withHelp) }
}
