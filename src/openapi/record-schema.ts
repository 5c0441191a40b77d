import { z } from 'zod'
import type { Collection, Rule } from '../collections/catalog.ts'
import { type Field, type FieldTypeName, isMulti, type SelectField } from '../fields/field.ts'
import { INSTANT_OR_EMPTY } from '../fields/instant.ts'
import type { Extension } from '../records/extension.ts'
import { MAX_PER_PAGE } from '../records/list.ts'
import { canBeShown } from '../records/shown-fields.ts'
import texts from './texts.json' with { type: 'json' }

/** The schema of a field's value in an answer, by type. An unset value is the type's zero, never absent. */
const VALUES: Readonly<Record<FieldTypeName, (field: Field) => z.ZodType>> = {
  text: () => z.string(),
  email: () => z.string(),
  url: () => z.string(),
  editor: () => z.string(),
  password: () => z.string(),
  number: (field) => (field.type === 'number' && field.onlyInt ? z.int() : z.number()),
  bool: () => z.boolean(),
  date: () => INSTANT_OR_EMPTY,
  autodate: () => INSTANT_OR_EMPTY,
  json: () => z.unknown(),
  geoPoint: () => z.object({ lon: z.number(), lat: z.number() }),
  select: (field) => oneOrMany(field, choice(field as SelectField)),
  relation: (field) => oneOrMany(field, z.string()),
  file: (field) => oneOrMany(field, z.string()),
}

const oneOrMany = (field: Field, one: z.ZodType) => (isMulti(field) ? z.array(one) : one)

function choice(field: SelectField): z.ZodType {
  const values = isMulti(field) || field.required ? field.values : [...field.values, '']
  return z.enum(values as [string, ...string[]])
}

/** `sms_messages` → `SmsMessages`: how the schemas of a collection are named. */
export const typeName = (collection: Collection) =>
  collection.name.replace(/(?:^|_+)([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())

export type RecordSchemas = (collectionId: string) => z.ZodObject | undefined

/** Schemas of records in answers, by collection. They allow fields that a superuser has added. */
export function recordSchemas(collections: readonly Collection[]): RecordSchemas {
  const schemas = new Map<string, z.ZodObject>()
  const find: RecordSchemas = (id) => schemas.get(id)
  for (const collection of collections) schemas.set(collection.id, recordSchema(collection, find))
  return find
}

function recordSchema(collection: Collection, others: RecordSchemas): z.ZodObject {
  const shown = collection.fields.filter((field) => canBeShown(collection, field))
  const values = shown.map((field) => [field.name, answered(collection, field)] as const)
  return z
    .looseObject({
      ...Object.fromEntries(values),
      collectionId: z.literal(collection.id),
      collectionName: z.literal(collection.name),
      expand: z.lazy(() => expanded(collection, others)).optional(),
    })
    .meta({ id: `${typeName(collection)}Record`, 'x-collection': collection.name })
}

function answered(collection: Collection, field: Field): z.ZodType {
  const schema = VALUES[field.type](field).meta({ description: describeField(collection, field) })
  const isOptional = field.hidden || (collection.type === 'auth' && field.name === 'email')
  return isOptional ? schema.optional() : schema
}

function expanded(collection: Collection, others: RecordSchemas): z.ZodType {
  const entries = collection.fields.flatMap((field) => {
    const other = field.type === 'relation' && others(field.collectionId)
    return other ? [[field.name, (isMulti(field) ? z.array(other) : other).optional()] as const] : []
  })
  const description =
    'Records that relations lead to, if `expand` asked for them and they may be seen; also those that lead here, under `collection_via_field`.'
  return z.looseObject(Object.fromEntries(entries)).meta({ description })
}

const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = texts

/** A field's description: its own help text if there is one, else that in `texts.json`. */
function describeField(collection: Collection, field: Field): string | undefined {
  const text = field.help || TEXTS[collection.name]?.[field.name] || TEXTS['*']![field.name]
  return field.hidden ? [text, 'Only superusers see it.'].filter(Boolean).join(' ') : text
}

export function describeRule(rule: Rule): string {
  if (rule === null) return 'Only superusers may.'
  return rule === '' ? 'Everyone may.' : `Superusers may, and whoever satisfies the rule \`${rule}\`.`
}

export const recordTag = (collection: Collection) => ({
  name: collection.name,
  description: TEXTS[collection.name]?.[''] ?? `Records of the collection \`${collection.name}\`.`,
})

/** The schema of a field's value in a request, by the field's type. It includes the field's limits. */
const BODY_VALUES: Readonly<Record<FieldTypeName, (field: Field) => z.ZodType>> = {
  ...VALUES,
  text: (field) => z.string().meta(field.type === 'text' ? textLimits(field) : {}),
  email: () => z.string().meta({ format: 'email' }),
  url: () => z.string().meta({ format: 'uri' }),
  password: (field) =>
    z.string().meta(field.type === 'password' ? { minLength: field.min, format: 'password' } : {}),
  number: (field) => (field.type === 'number' ? numberOf(field) : z.number()),
  date: () => z.string().describe('An instant, as `2026-11-20 07:00:00.000Z`; empty for none.'),
  select: (field) => oneOrMany(field, z.enum((field as SelectField).values as [string, ...string[]])),
}

const textLimits = ({ min, max, pattern }: Field & { type: 'text' }) => ({
  ...(min > 0 && { minLength: min }),
  ...(max > 0 && { maxLength: max }),
  ...(pattern && { pattern }),
})

const numberOf = ({ min, max, onlyInt }: Field & { type: 'number' }) =>
  (onlyInt ? z.int() : z.number()).meta({
    ...(min !== null && { minimum: min }),
    ...(max !== null && { maximum: max }),
  })

/** Fields that a client may set: the password, and all visible fields that the server does not set itself. */
const settable = (collection: Collection, extension: Extension | undefined) =>
  collection.fields.filter(
    (field) =>
      field.type !== 'autodate' &&
      !extension?.setByServer?.includes(field.name) &&
      (!field.hidden || (collection.type === 'auth' && field.name === 'password')),
  )

const sent = (collection: Collection, field: Field) =>
  BODY_VALUES[field.type](field).meta({ description: describeField(collection, field) })

const CONFIRM = z.string().meta({ description: 'The same password again.', format: 'password' })

export function createBody(collection: Collection, extension: Extension | undefined): z.ZodType {
  const fields = settable(collection, extension).map((field) => {
    const schema = sent(collection, field)
    const isMade = field.type === 'text' && field.autogeneratePattern !== ''
    return [field.name, field.required && !isMade ? schema : schema.optional()]
  })
  const more = collection.type === 'auth' ? { passwordConfirm: CONFIRM } : {}
  return z
    .looseObject({ ...Object.fromEntries(fields), ...more })
    .meta({ id: `${typeName(collection)}Create` })
}

/** The body of an update: any fields, and modifiers such as `name+` of fields that support them. */
export function updateBody(collection: Collection, extension: Extension | undefined): z.ZodType {
  const fields = settable(collection, extension).filter(({ name }) => name !== 'id')
  const plain = fields.map((field) => [field.name, sent(collection, field).optional()])
  const modified = fields.flatMap((field) => modifiersOf(field))
  const oldPassword = z.string().optional().describe('Asked of all but superusers for a new password.')
  const more = collection.type === 'auth' ? { passwordConfirm: CONFIRM.optional(), oldPassword } : {}
  return z
    .looseObject({ ...Object.fromEntries([...plain, ...modified]), ...more })
    .meta({ id: `${typeName(collection)}Update` })
}

function modifiersOf(field: Field): [string, z.ZodType][] {
  const { name, type } = field
  const of = (description: string) => BODY_VALUES[type](field).optional().meta({ description })
  if (type === 'number')
    return [
      [`${name}+`, z.number().optional().describe(`Adds to \`${name}\`.`)],
      [`${name}-`, z.number().optional().describe(`Subtracts from \`${name}\`.`)],
    ]
  if (!isMulti(field)) return []
  return [
    [`${name}+`, of(`Appends to \`${name}\`.`)],
    [`+${name}`, of(`Prepends to \`${name}\`.`)],
    [`${name}-`, of(`Removes from \`${name}\`.`)],
  ]
}

const parameter = (id: string, description: string, examples?: string[]) =>
  z
    .string()
    .optional()
    .meta({ description, ...(examples && { examples }), param: { id } })

const EXPAND = parameter(
  'expand',
  'Relations whose records to show in `expand`, comma-separated; a path goes further: `message.device`.',
  ['device,user'],
)
const FIELDS = parameter(
  'fields',
  'Fields to answer with, comma-separated; all when left out. `*` stands for all of a level, `body:excerpt(50)` shortens.',
)

export const ONE = { query: z.object({ expand: EXPAND, fields: FIELDS }) }
export const FIELDS_ONLY = { query: z.object({ fields: FIELDS }) }

export const BY_ID = {
  path: z.object({ id: z.string().meta({ description: 'The id of the record.', param: { id: 'id' } }) }),
  ...ONE,
}

const FILTER = parameter(
  'filter',
  "PocketBase's filter language: `=` `!=` `>` `>=` `<` `<=` `~` (has) `!~`, with `?` before them for any of many; `&&` `||` and parentheses.",
  ['created >= @todayStart'],
)

export const EXPORT = {
  query: z.object({
    filter: FILTER,
    expand: EXPAND,
    fields: z
      .string()
      .optional()
      .describe(
        'Columns, comma-separated: fields, or paths into `expand`. Default: all that are not hidden.',
      ),
  }),
}

export const listQuery = (maxPerPage = MAX_PER_PAGE) => ({
  query: z.object({
    page: z.int().min(1).optional().describe('From 1.'),
    perPage: z
      .int()
      .min(1)
      .optional()
      .describe(`Records on a page: 30 when left out, at most ${maxPerPage.toLocaleString('en')}.`),
    sort: z
      .string()
      .optional()
      .meta({
        description:
          'Fields to sort by, comma-separated, `-` for descending. `@random` and `@rowid` are known too.',
        examples: ['-created,id'],
      }),
    filter: FILTER,
    expand: EXPAND,
    fields: FIELDS,
    skipTotal: z
      .boolean()
      .optional()
      .describe('Do not count: quicker. `totalItems` and `totalPages` are -1 then.'),
  }),
})

export const pageOf = (record: z.ZodType, id: string) =>
  z
    .object({
      items: z.array(record),
      page: z.int().min(1),
      perPage: z.int().min(1),
      totalItems: z.int().min(-1),
      totalPages: z.int().min(-1),
    })
    .meta({ id })
