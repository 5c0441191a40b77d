import { z } from 'zod'
import type { Collection } from '../../engine/collections/collection.ts'
import {
  type Field,
  type FieldTypeName,
  isMulti,
  type SelectField,
} from '../../engine/fields/field.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { describeField, makeListIfMulti, makeTypeName, makeValueSchema } from './record-schema.ts'

/** Schemas of types whose values differ in a request, by the type. They include the field's limits. */
const BODY_VALUES: Readonly<Partial<Record<FieldTypeName, (field: Field) => z.ZodType>>> = {
  text: (field) => z.string().meta(field.type === 'text' ? makeTextLimits(field) : {}),
  email: () => z.string().meta({ format: 'email' }),
  url: () => z.string().meta({ format: 'uri' }),
  password: (field) =>
    z.string().meta(field.type === 'password' ? { minLength: field.min, format: 'password' } : {}),
  number: (field) => (field.type === 'number' ? makeNumberSchema(field) : z.number()),
  date: () => z.string().describe('An instant, as `2026-11-20 07:00:00.000Z`; empty for none.'),
  select: (field) =>
    makeListIfMulti(field, z.enum((field as SelectField).values as [string, ...string[]])),
}

const makeBodySchema = (field: Field): z.ZodType =>
  BODY_VALUES[field.type]?.(field) ?? makeValueSchema(field)

const makeTextLimits = ({ min, max, pattern }: Field & { type: 'text' }) => ({
  ...(min > 0 && { minLength: min }),
  ...(max > 0 && { maxLength: max }),
  ...(pattern && { pattern }),
})

const makeNumberSchema = ({ min, max, onlyInt }: Field & { type: 'number' }) =>
  (onlyInt ? z.int() : z.number()).meta({
    ...(min !== null && { minimum: min }),
    ...(max !== null && { maximum: max }),
  })

/** Fields that a client may set: the password, and all visible fields that the server does not set itself. */
const listSettableFields = (collection: Collection, extension: Extension | undefined) =>
  collection.fields.filter(
    (field) =>
      field.type !== 'autodate' &&
      !extension?.setByServer?.includes(field.name) &&
      (!field.hidden || (collection.type === 'auth' && field.name === 'password')),
  )

const describeSentField = (field: Field) =>
  makeBodySchema(field).meta({ description: describeField(field) })

const CONFIRM = z.string().meta({ description: 'The same password again.', format: 'password' })

export function makeCreateBody(
  collection: Collection,
  extension: Extension | undefined,
): z.ZodType {
  const fields = listSettableFields(collection, extension).map((field) => {
    const schema = describeSentField(field)
    const isMade = field.type === 'text' && field.autogeneratePattern !== ''
    return [field.name, field.required && !isMade ? schema : schema.optional()]
  })
  const more = collection.type === 'auth' ? { passwordConfirm: CONFIRM } : {}
  return z
    .looseObject({ ...Object.fromEntries(fields), ...more })
    .meta({ id: `${makeTypeName(collection)}Create` })
}

/** Describes modifiers such as `name+` in words: generators make one name of `name` and `name+`. */
export function makeUpdateBody(
  collection: Collection,
  extension: Extension | undefined,
): z.ZodType {
  const fields = listSettableFields(collection, extension).filter(({ name }) => name !== 'id')
  const plain = fields.map((field) => [field.name, describeSentField(field).optional()])
  const oldPassword = z
    .string()
    .optional()
    .describe('Asked of all but superusers for a new password.')
  const more =
    collection.type === 'auth' ? { passwordConfirm: CONFIRM.optional(), oldPassword } : {}
  return z.looseObject({ ...Object.fromEntries(plain), ...more }).meta({
    id: `${makeTypeName(collection)}Update`,
    ...describeModifiers(fields),
  })
}

/** The modifiers of fields in words; nothing if no field has one. */
function describeModifiers(fields: readonly Field[]): { readonly description?: string } {
  const write = (names: readonly Field[]) => names.map(({ name }) => `\`${name}\``).join(', ')
  const [numbers, lists] = [fields.filter(({ type }) => type === 'number'), fields.filter(isMulti)]
  const words = [
    numbers.length > 0 && `\`NAME+\` adds and \`NAME-\` subtracts: ${write(numbers)}.`,
    lists.length > 0 &&
      `\`NAME+\` appends, \`+NAME\` prepends and \`NAME-\` removes items: ${write(lists)}.`,
  ].filter(Boolean)
  return words.length > 0 ? { description: words.join(' ') } : {}
}
