import { sql } from 'kysely'
import type { Value } from '../../engine/fields/field.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Db } from '../../platform/db/open.ts'
import { acquireLock, matchAny, matchAnyFound, queries } from '../../platform/db/queries.ts'
import { parseJson } from '../../platform/tools/json.ts'
import { foldName, isSameName } from '../../portable/fold-text.ts'
import {
  type ContactField,
  listFieldVariables,
  loadFieldDefinitions,
  makeFieldFinder,
} from '../base/contact-fields.ts'
import { updateRecords } from '../base/message-status.ts'

type Values = Record<string, Value>

const MOST_FIELDS = 100
const MOST_CHOICES = 100
const MAX_CHOICE = 100
/** Older names are forgotten. */
const MOST_FORMER = 20

/** Variables of a template that are no fields, in lower case. */
const RESERVED: readonly string[] = ['name', 'phone', 'stop_link']

const SIGNS_OF_VARIABLES = /[{}|]/

/**
 * Rules of contacts' fields. A new field takes over the values under its name in other letters, which
 * templates find, too. A rename keeps the values, which are stored under the first name, and the former
 * names, by which templates and programs still find them. A deletion removes the values of all contacts.
 */
export const contactFieldsExtension: Extension = {
  setByServer: ['key', 'former'],
  check: (values) => checkDefinition({ ...values }),
  async beforeCreate({ db }, values) {
    checkDefinition(values)
    const fields = await lockFields(db, String(values.user))
    if (fields.length >= MOST_FIELDS)
      throw invalidFields({
        user: makeFieldError(
          'validation_too_many_fields',
          `An account has at most ${MOST_FIELDS} fields.`,
        ),
      })
    requireFreeFieldName(fields, values)
    Object.assign(values, { key: values.name, former: null })
    await takeOverValues(db, { user: String(values.user), key: String(values.name) })
    return undefined
  },
  async beforeUpdate({ db }, values, old) {
    checkDefinition(values)
    Object.assign(values, { user: old.user, key: old.key, former: old.former })
    if (values.name === old.name) return
    const fields = await lockFields(db, String(values.user))
    requireFreeFieldName(
      fields.filter(({ id }) => id !== values.id),
      values,
    )
    const field = fields.find(({ id }) => id === values.id)
    if (field) values.former = JSON.stringify(listFormerNames(field, String(values.name)))
  },
  async beforeDelete({ db }, ids) {
    for (const field of await loadKeys(db, ids)) await removeValues(db, field)
  },
}

/** Trims the name and the choices. Throws 400. */
function checkDefinition(values: Values): void {
  values.name = String(values.name ?? '').trim()
  if (SIGNS_OF_VARIABLES.test(values.name))
    throw refuse('name', 'A name has none of { } and |, which mark variables in templates.')
  if (RESERVED.includes(foldName(values.name)))
    throw refuse('name', 'Each contact has this already: choose another name.')
  const given = parseJson(String(values.choices ?? 'null')) ?? []
  if (!Array.isArray(given) || given.some((choice) => typeof choice !== 'string'))
    throw refuse('choices', 'Must be a list of texts.')
  const choices = (given as string[]).map((choice) => choice.trim()).filter(Boolean)
  if (values.type !== 'choice') {
    values.choices = null
    return
  }
  if (choices.length === 0) throw refuse('choices', 'A choice needs at least one value.')
  if (choices.length > MOST_CHOICES)
    throw refuse('choices', `A choice has at most ${MOST_CHOICES} values.`)
  if (choices.some((choice) => choice.length > MAX_CHOICE))
    throw refuse('choices', `A value has at most ${MAX_CHOICE} characters.`)
  if (new Set(choices.map(foldName)).size < choices.length)
    throw refuse('choices', 'Each value must occur once.')
  values.choices = JSON.stringify(choices)
}

const refuse = (field: string, message: string) =>
  invalidFields({ [field]: makeFieldError('validation_invalid_contact_field', message) })

/** Other definitions of the account wait until the transaction ends. */
async function lockFields(db: Db, user: string): Promise<ContactField[]> {
  await acquireLock(db, LOCKS.contactFields, user)
  return loadFieldDefinitions(db, user)
}

function requireFreeFieldName(others: readonly ContactField[], { name }: Values): void {
  const other = makeFieldFinder(others)(String(name))
  if (!other) return
  const isNow = isSameName(other.name, String(name))
  throw invalidFields({
    name: makeFieldError(
      'validation_not_unique',
      isNow ? 'There is a field with this name.' : `The field ${other.name} had this name before.`,
    ),
  })
}

function listFormerNames(field: ContactField, name: string): string[] {
  const isOther = (one: string) => one !== field.key && one !== name
  return [...new Set(listFieldVariables(field).filter(isOther))].slice(0, MOST_FORMER)
}

interface Key {
  readonly user: string
  readonly key: string
}

/** The keys of fields, without those of deleted accounts, whose contacts are deleted, too. */
const loadKeys = (db: Db, ids: readonly string[]): Promise<Key[]> =>
  queries(db)
    .selectFrom('contact_fields as f')
    .innerJoin('users as u', 'u.id', 'f.user')
    .select(['f.user', 'f.key'])
    .where('f.id', '=', matchAny(ids))
    .execute()

/** Stores values under the key that contacts have under an equal name: `LEVEL`, `level`. */
async function takeOverValues(db: Db, { user, key }: Key): Promise<void> {
  const ofUser = queries(db)
    .selectFrom('contacts')
    .where('user', '=', user)
    .where(sql<boolean>`json_typeof(data) = 'object'`)
  const found = await queries(db)
    .selectFrom(ofUser.select(sql<string>`json_object_keys(data)`.as('name')).as('c'))
    .select('name')
    .distinct()
    .where('name', '<>', key)
    .execute()
  const others = found.map((one) => one.name).filter((name) => isSameName(name, key))
  for (const name of others.sort())
    await updateRecords(db, 'contacts', (update) =>
      update
        .set({
          data: sql`(select json_object_agg(case e.key when ${name} then ${key} else e.key end, e.value order by e.place)
            from json_each(data) with ordinality as e(key, value, place))`,
        })
        .where(
          'id',
          '=',
          matchAnyFound(
            ofUser
              .select('id')
              .where(sql<boolean>`data -> ${name} is not null and data -> ${key} is null`)
              .orderBy('id')
              .forUpdate(),
          ),
        ),
    )
}

/** Removes a member of `data` from all contacts of an account; the other members keep their order. */
const removeValues = (db: Db, { user, key }: Key) =>
  updateRecords(db, 'contacts', (update) =>
    update
      .set({
        data: sql`(select json_object_agg(e.key, e.value order by e.place)
          from json_each(data) with ordinality as e(key, value, place) where e.key <> ${key})`,
      })
      .where(
        'id',
        '=',
        matchAnyFound(
          queries(db)
            .selectFrom('contacts')
            .select('id')
            .where('user', '=', user)
            .where(sql<boolean>`json_typeof(data) = 'object' and data -> ${key} is not null`)
            .orderBy('id')
            .forUpdate(),
        ),
      ),
  )
