import { fieldError } from '../../platform/api-errors.ts'
import type { Field, FieldOf, FieldTypeName, TextField } from '../fields/field.ts'
import { checkValue } from '../fields/field-types.ts'
import { generateText } from '../fields/pattern.ts'
import { isInt64, noInteger, tooSmall } from '../fields/scalar-types.ts'
import type { Catalog } from './catalog.ts'
import {
  allowOnly,
  atLeast,
  atMost,
  blank,
  byPlace,
  type Check,
  check,
  equals,
  isPattern,
  isWord,
  length,
  matches,
  noVia,
  type Problem,
  refuseListed,
  required,
  when,
} from './checks.ts'
import type { Collection } from './collection.ts'

const MAX_INT = Number.MAX_SAFE_INTEGER
const MAX_PASSWORD = 71
const BCRYPT_COST = { min: 4, max: 31 }
const AUTOGENERATE_TRIES = 10

const RESERVED_NAMES = [
  'null',
  'true',
  'false',
  '_rowid_',
  'collectionId',
  'collectionName',
  'expand',
]
const DOMAIN =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-zA-Z]{1,63}| xn--[a-z0-9]{1,59})$/
const THUMB_SIZE = /^\d+x\d+[tbf]?$/
const NO_THUMBS = ['0x0', '0x0t', '0x0b', '0x0f']

export interface FieldPlace {
  readonly collection: Collection
  readonly stored: Collection | undefined
  readonly catalog: Catalog
}

type Settings<T extends FieldTypeName> = (
  field: FieldOf<T>,
  place: FieldPlace,
) => Record<string, Problem>

function domain(name: string): Problem {
  if (name === '' || (name.length <= 255 && DOMAIN.test(name))) return undefined
  return fieldError('validation_is_domain', 'must be a valid domain')
}

const domains = ({ exceptDomains, onlyDomains }: FieldOf<'email'> | FieldOf<'url'>) => ({
  exceptDomains: onlyDomains.length ? check(exceptDomains, blank) : byPlace(exceptDomains, domain),
  onlyDomains: exceptDomains.length ? check(onlyDomains, blank) : byPlace(onlyDomains, domain),
})

const size = (value: number) => check(value, atLeast(0), atMost(MAX_INT))

function singleKey(collection: Collection): Check {
  const keys = collection.fields.filter((field) => field.type === 'text' && field.primaryKey)
  const text = 'Composite PKs are not supported and the collection must have only 1 PK.'
  const error = fieldError('validation_unsupported_composite_pk', text)
  return (primaryKey) => (primaryKey && keys.length > 1 ? error : undefined)
}

function generates(field: TextField): Check {
  return (pattern) => {
    if (!pattern) return undefined
    try {
      for (let i = 0; i < AUTOGENERATE_TRIES; i++) {
        const value = generateText(String(pattern))
        if (checkValue(field, value)) {
          const text = `The provided autogenerate pattern could produce invalid field values, ex.: "${value}"`
          return fieldError('validation_invalid_autogenerate_pattern_value', text)
        }
      }
    } catch (error) {
      return fieldError('validation_invalid_autogenerate_pattern', (error as Error).message)
    }
  }
}

const isWhole: Check = (value) =>
  value !== null && !isInt64(value as number) ? noInteger() : undefined

const notBelow =
  (min: number | null): Check =>
  (value) =>
    typeof value === 'number' && min !== null && value < min ? tooSmall(min) : undefined

const eitherDate: Check = (value) =>
  value
    ? undefined
    : fieldError('validation_required', 'either onCreate or onUpdate must be enabled')

const storedField = <T extends FieldTypeName>(field: FieldOf<T>, { stored }: FieldPlace) =>
  stored?.fields.find((one) => one.id === field.id && one.type === field.type) as
    | FieldOf<T>
    | undefined

const relationTarget =
  (field: FieldOf<'relation'>, place: FieldPlace): Check =>
  (id) => {
    const before = storedField(field, place)
    if (before && before.collectionId !== id)
      return fieldError(
        'validation_field_relation_change',
        'The relation collection cannot be changed.',
      )
    const target = place.catalog.all.find((one) => one.id === id)
    const missing = "The relation collection doesn't exist."
    if (!target) return fieldError('validation_field_relation_missing_collection', missing)
    const text = 'Only view collections are allowed to have relations to other views.'
    if (place.collection.type !== 'view' && target.type === 'view')
      return fieldError('validation_relation_field_non_view_base_collection', text)
  }

/** Checks of the options of field types. PocketBase: ValidateSettings in core/field_*.go */
const SETTINGS: { readonly [T in FieldTypeName]?: Settings<T> } = {
  text: (field, { collection }) => ({
    ...(field.primaryKey && {
      name: check(
        field.name,
        isFieldName,
        allowOnly(['id'], 'The primary key must be named "id".'),
      ),
    }),
    primaryKey: check(field.primaryKey, singleKey(collection)),
    min: size(field.min),
    max: check(field.max, atLeast(field.min), atMost(MAX_INT)),
    pattern: check(field.pattern, when(field.primaryKey, required), isPattern),
    hidden: check(field.hidden, when(field.primaryKey, blank)),
    required: check(field.required, when(field.primaryKey, required)),
    autogeneratePattern: check(field.autogeneratePattern, isPattern, generates(field)),
  }),
  number: (field) => ({
    min: check(field.min, when(field.onlyInt, isWhole)),
    max: check(field.max, when(field.onlyInt, isWhole), notBelow(field.min)),
  }),
  email: domains,
  url: domains,
  editor: ({ maxSize }) => ({ maxSize: size(maxSize) }),
  autodate: (field, place) => {
    const { onCreate, onUpdate, system } = field
    const before = storedField(field, place) ?? field
    return {
      onCreate: check(onCreate, when(system, equals(before.onCreate)), when(!onUpdate, eitherDate)),
      onUpdate: check(onUpdate, when(system, equals(before.onUpdate)), when(!onCreate, eitherDate)),
    }
  },
  select: ({ values, maxSelect }) => ({
    values: check(values, required),
    maxSelect: check(maxSelect, atLeast(0), atMost(values.length || 1)),
  }),
  json: ({ maxSize }) => ({ maxSize: size(maxSize) }),
  relation: (field, place) => ({
    collectionId: check(field.collectionId, required, relationTarget(field, place)),
    minSelect: check(field.minSelect, atLeast(0)),
    maxSelect: check(
      field.maxSelect,
      when(field.minSelect > 0, required),
      atLeast(field.minSelect),
    ),
  }),
  file: ({ maxSelect, maxSize, thumbs }) => ({
    maxSelect: size(maxSelect),
    maxSize: size(maxSize),
    thumbs: byPlace(thumbs, (thumb) => check(thumb, refuseListed(NO_THUMBS), matches(THUMB_SIZE))),
  }),
  password: ({ min, max, cost, pattern }) => ({
    min: check(min, atLeast(1), atMost(MAX_PASSWORD)),
    max: check(max, atLeast(min), atMost(MAX_PASSWORD)),
    cost: check(cost, atLeast(BCRYPT_COST.min), atMost(BCRYPT_COST.max)),
    pattern: check(pattern, isPattern),
  }),
}

const isFieldName: Check = (name) =>
  check(name, required, length(1, 100), isWord, refuseListed(RESERVED_NAMES), noVia)

export function fieldProblems(field: Field, place: FieldPlace): Record<string, Problem> {
  const settings = SETTINGS[field.type] as Settings<FieldTypeName> | undefined
  return {
    id: check(field.id, required, length(1, 100)),
    name: isFieldName(field.name),
    help: check(field.help ?? '', length(1, 300)),
    ...settings?.(field as never, place),
  }
}
