import { z } from 'zod'
import type { Collection, Rule } from '../../engine/collections/collection.ts'
import { INSTANT_OR_EMPTY } from '../../engine/fields/date-schema.ts'
import {
  type Field,
  type FieldTypeName,
  isMulti,
  type SelectField,
  type ValueStorage,
} from '../../engine/fields/field.ts'
import { findFieldStorage } from '../../engine/fields/field-types.ts'
import { canBeShown } from '../../engine/records/shown-fields.ts'
import type { DescribedCollection } from './described-collections.ts'

const BY_STORAGE: Readonly<Record<ValueStorage, () => z.ZodType>> = {
  text: () => z.string(),
  number: () => z.number(),
  bool: () => z.boolean(),
  list: () => z.array(z.string()),
  json: () => z.unknown(),
  geo: () => z.looseObject({}),
}

/** Schemas of types that allow less than their storage does. */
const BY_TYPE: Readonly<Partial<Record<FieldTypeName, (field: Field) => z.ZodType>>> = {
  number: (field) => (field.type === 'number' && field.onlyInt ? z.int() : z.number()),
  date: () => INSTANT_OR_EMPTY,
  autodate: () => INSTANT_OR_EMPTY,
  geoPoint: () => z.object({ lon: z.number(), lat: z.number() }),
  select: (field) => makeListIfMulti(field, makeChoiceSchema(field as SelectField)),
}

/** The schema of a field's value in an answer. An unset value is the type's zero, never absent. */
export const makeValueSchema = (field: Field): z.ZodType =>
  BY_TYPE[field.type]?.(field) ?? BY_STORAGE[findFieldStorage(field)]()

export const makeListIfMulti = (field: Field, one: z.ZodType) =>
  isMulti(field) ? z.array(one) : one

function makeChoiceSchema(field: SelectField): z.ZodType {
  const values = isMulti(field) || field.required ? field.values : [...field.values, '']
  return z.enum(values as [string, ...string[]])
}

/** `sms_messages` → `SmsMessages`: how the schemas of a collection are named. */
export const makeTypeName = (collection: Collection) =>
  collection.name.replace(/(?:^|_+)([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())

export type RecordSchemas = (collectionId: string) => z.ZodObject | undefined

/** Schemas of records in answers, by collection. They allow fields that a superuser has added. */
export function makeRecordSchemas(collections: readonly Collection[]): RecordSchemas {
  const schemas = new Map<string, z.ZodObject>()
  const find: RecordSchemas = (id) => schemas.get(id)
  for (const collection of collections)
    schemas.set(collection.id, makeRecordSchema(collection, find))
  return find
}

function makeRecordSchema(collection: Collection, others: RecordSchemas): z.ZodObject {
  const shown = collection.fields.filter((field) => canBeShown(collection, field))
  const values = shown.map((field) => [field.name, makeAnsweredSchema(collection, field)] as const)
  return z
    .looseObject({
      ...Object.fromEntries(values),
      collectionId: z.literal(collection.id),
      collectionName: z.literal(collection.name),
      expand: z.lazy(() => makeExpandSchema(collection, others)).optional(),
    })
    .meta({ id: `${makeTypeName(collection)}Record`, 'x-collection': collection.name })
}

function makeAnsweredSchema(collection: Collection, field: Field): z.ZodType {
  const schema = makeValueSchema(field).meta({ description: describeField(field) })
  const isOptional = field.hidden || (collection.type === 'auth' && field.name === 'email')
  return isOptional ? schema.optional() : schema
}

function makeExpandSchema(collection: Collection, others: RecordSchemas): z.ZodType {
  const entries = collection.fields.flatMap((field) => {
    const other = field.type === 'relation' && others(field.collectionId)
    return other
      ? [[field.name, (isMulti(field) ? z.array(other) : other).optional()] as const]
      : []
  })
  const description =
    'Records that relations lead to, if `expand` asked for them and they may be seen; also those that lead here, under `collection_via_field`.'
  return z.looseObject(Object.fromEntries(entries)).meta({ description })
}

/** Descriptions of fields that several collections have. */
const SHARED: Readonly<Record<string, string>> = {
  id: '15 letters and digits; the server creates it if it is absent.',
  created: 'When the record was made.',
  updated: 'When the record last changed.',
  password: 'At least 8 characters. Never shown.',
  email: 'Shown to the record itself and to superusers, to others if `emailVisibility` is set.',
  emailVisibility: 'Whether all who see the record see its email.',
  verified: "Whether the address was proven to be the record's own.",
}

export function describeField(field: Field): string | undefined {
  const text = field.help || SHARED[field.name]
  return field.hidden ? [text, 'Only superusers see it.'].filter(Boolean).join(' ') : text
}

export function describeRule(rule: Rule): string {
  if (rule === null) return 'Only superusers may.'
  return rule === ''
    ? 'Everyone may.'
    : `Superusers may, and whoever satisfies the rule \`${rule}\`.`
}

export const makeRecordTag = ({ name, about }: DescribedCollection) => ({
  name,
  description: about ?? `Records of the collection \`${name}\`.`,
})

export const makePageSchema = (record: z.ZodType, id: string) =>
  z
    .object({
      items: z.array(record),
      page: z.int().min(1),
      perPage: z.int().min(1),
      totalItems: z.int().min(-1),
      totalPages: z.int().min(-1),
    })
    .meta({ id })
