import { makeFieldError } from '../../platform/api-errors.ts'
import type { Field, FieldOf, FieldTypeName, TextField } from '../fields/field.ts'
import { checkValue } from '../fields/field-types.ts'
import { generateText } from '../fields/regex-patterns.ts'
import { isInt64, makeIntegerError, makeTooSmallError } from '../fields/scalar-types.ts'
import {
  blank,
  type Check,
  checkAllowed,
  checkEquals,
  checkIsPattern,
  checkItems,
  checkLength,
  checkMaximum,
  checkMinimum,
  checkNotListed,
  checkNoVia,
  checkPattern,
  checkRequired,
  checkWhen,
  isWord,
  type Problem,
  runChecks,
} from '../fields/value-checks.ts'
import type { Catalog } from './catalog.ts'
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

function checkDomain(name: string): Problem {
  if (name === '' || (name.length <= 255 && DOMAIN.test(name))) return undefined
  return makeFieldError('validation_is_domain', 'must be a valid domain')
}

const checkDomains = ({ exceptDomains, onlyDomains }: FieldOf<'email'> | FieldOf<'url'>) => ({
  exceptDomains: onlyDomains.length
    ? runChecks(exceptDomains, blank)
    : checkItems(exceptDomains, checkDomain),
  onlyDomains: exceptDomains.length
    ? runChecks(onlyDomains, blank)
    : checkItems(onlyDomains, checkDomain),
})

const checkSize = (value: number) => runChecks(value, checkMinimum(0), checkMaximum(MAX_INT))

function checkSingleKey(collection: Collection): Check {
  const keys = collection.fields.filter((field) => field.type === 'text' && field.primaryKey)
  const text = 'Composite PKs are not supported and the collection must have only 1 PK.'
  const error = makeFieldError('validation_unsupported_composite_pk', text)
  return (primaryKey) => (primaryKey && keys.length > 1 ? error : undefined)
}

function checkGenerates(field: TextField): Check {
  return (pattern) => {
    if (!pattern) return undefined
    try {
      for (let i = 0; i < AUTOGENERATE_TRIES; i++) {
        const value = generateText(String(pattern))
        if (checkValue(field, value)) {
          const text = `The provided autogenerate pattern could produce invalid field values, ex.: "${value}"`
          return makeFieldError('validation_invalid_autogenerate_pattern_value', text)
        }
      }
    } catch (error) {
      return makeFieldError('validation_invalid_autogenerate_pattern', (error as Error).message)
    }
  }
}

const checkWholeNumber: Check = (value) =>
  value !== null && !isInt64(value as number) ? makeIntegerError() : undefined

const checkNotBelow =
  (min: number | null): Check =>
  (value) =>
    typeof value === 'number' && min !== null && value < min ? makeTooSmallError(min) : undefined

const checkEitherDate: Check = (value) =>
  value
    ? undefined
    : makeFieldError('validation_required', 'either onCreate or onUpdate must be enabled')

const findStoredField = <T extends FieldTypeName>(field: FieldOf<T>, { stored }: FieldPlace) =>
  stored?.fields.find((one) => one.id === field.id && one.type === field.type) as
    | FieldOf<T>
    | undefined

const checkRelationTarget =
  (field: FieldOf<'relation'>, place: FieldPlace): Check =>
  (id) => {
    const before = findStoredField(field, place)
    if (before && before.collectionId !== id)
      return makeFieldError(
        'validation_field_relation_change',
        'The relation collection cannot be changed.',
      )
    const target = place.catalog.all.find((one) => one.id === id)
    const missing = "The relation collection doesn't exist."
    if (!target) return makeFieldError('validation_field_relation_missing_collection', missing)
    const text = 'Only view collections are allowed to have relations to other views.'
    if (place.collection.type !== 'view' && target.type === 'view')
      return makeFieldError('validation_relation_field_non_view_base_collection', text)
  }

/** Checks of the options of field types. PocketBase: ValidateSettings in core/field_*.go */
const SETTINGS: { readonly [T in FieldTypeName]?: Settings<T> } = {
  text: (field, { collection }) => ({
    ...(field.primaryKey && {
      name: runChecks(
        field.name,
        checkFieldName,
        checkAllowed(['id'], 'The primary key must be named "id".'),
      ),
    }),
    primaryKey: runChecks(field.primaryKey, checkSingleKey(collection)),
    min: checkSize(field.min),
    max: runChecks(field.max, checkMinimum(field.min), checkMaximum(MAX_INT)),
    pattern: runChecks(field.pattern, checkWhen(field.primaryKey, checkRequired), checkIsPattern),
    hidden: runChecks(field.hidden, checkWhen(field.primaryKey, blank)),
    required: runChecks(field.required, checkWhen(field.primaryKey, checkRequired)),
    autogeneratePattern: runChecks(
      field.autogeneratePattern,
      checkIsPattern,
      checkGenerates(field),
    ),
  }),
  number: (field) => ({
    min: runChecks(field.min, checkWhen(field.onlyInt, checkWholeNumber)),
    max: runChecks(field.max, checkWhen(field.onlyInt, checkWholeNumber), checkNotBelow(field.min)),
  }),
  email: checkDomains,
  url: checkDomains,
  editor: ({ maxSize }) => ({ maxSize: checkSize(maxSize) }),
  autodate: (field, place) => {
    const { onCreate, onUpdate, system } = field
    const before = findStoredField(field, place) ?? field
    return {
      onCreate: runChecks(
        onCreate,
        checkWhen(system, checkEquals(before.onCreate)),
        checkWhen(!onUpdate, checkEitherDate),
      ),
      onUpdate: runChecks(
        onUpdate,
        checkWhen(system, checkEquals(before.onUpdate)),
        checkWhen(!onCreate, checkEitherDate),
      ),
    }
  },
  select: ({ values, maxSelect }) => ({
    values: runChecks(values, checkRequired),
    maxSelect: runChecks(maxSelect, checkMinimum(0), checkMaximum(values.length || 1)),
  }),
  json: ({ maxSize }) => ({ maxSize: checkSize(maxSize) }),
  relation: (field, place) => ({
    collectionId: runChecks(field.collectionId, checkRequired, checkRelationTarget(field, place)),
    minSelect: runChecks(field.minSelect, checkMinimum(0)),
    maxSelect: runChecks(
      field.maxSelect,
      checkWhen(field.minSelect > 0, checkRequired),
      checkMinimum(field.minSelect),
    ),
  }),
  file: ({ maxSelect, maxSize, thumbs }) => ({
    maxSelect: checkSize(maxSelect),
    maxSize: checkSize(maxSize),
    thumbs: checkItems(thumbs, (thumb) =>
      runChecks(thumb, checkNotListed(NO_THUMBS), checkPattern(THUMB_SIZE)),
    ),
  }),
  password: ({ min, max, cost, pattern }) => ({
    min: runChecks(min, checkMinimum(1), checkMaximum(MAX_PASSWORD)),
    max: runChecks(max, checkMinimum(min), checkMaximum(MAX_PASSWORD)),
    cost: runChecks(cost, checkMinimum(BCRYPT_COST.min), checkMaximum(BCRYPT_COST.max)),
    pattern: runChecks(pattern, checkIsPattern),
  }),
}

const checkFieldName: Check = (name) =>
  runChecks(
    name,
    checkRequired,
    checkLength(1, 100),
    isWord,
    checkNotListed(RESERVED_NAMES),
    checkNoVia,
  )

export function checkFieldSettings(field: Field, place: FieldPlace): Record<string, Problem> {
  const settings = SETTINGS[field.type] as Settings<FieldTypeName> | undefined
  return {
    id: runChecks(field.id, checkRequired, checkLength(1, 100)),
    name: checkFieldName(field.name),
    help: runChecks(field.help ?? '', checkLength(1, 300)),
    ...settings?.(field as never, place),
  }
}
