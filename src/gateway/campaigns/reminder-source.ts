import { z } from 'zod'
import { findAuthRecord } from '../../engine/auth/find-auth-record.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import {
  type AuthCollection,
  type Collection,
  USERS_ID,
} from '../../engine/collections/collection.ts'
import { type Field, isMulti, type RelationField } from '../../engine/fields/field.ts'
import { NO_REQUEST, type RequestInfo } from '../../engine/request/request.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { isMobileTitle, isPhoneTitle } from '../../portable/phone/column-titles.ts'
import { loadFieldDefinitions, makeFieldFinder } from '../base/contact-fields.ts'
import type { Reminder, WantedReminder } from './reminder-body.ts'

export const CONTACTS_ID = 'contacts'

/** Where the dates of a reminder are, as the owner of its account may list them. */
export interface ReminderSource {
  readonly collection: Collection
  readonly rule: string
  readonly filter: string
  /** A request of the owner's, by which the rule is compiled. */
  readonly request: RequestInfo
  readonly user: string
  /** The field with the date; of contacts, the member of `data`. */
  readonly date: string
  readonly isOfContacts: boolean
  /** The field with the number; undefined for contacts. */
  readonly phone: Field | undefined
  /** Relations to `users`, one of which must name the account. */
  readonly owners: readonly RelationField[]
}

/** Types of fields that a text may name. */
const SHOWN: ReadonlySet<string> = new Set([
  'text',
  'number',
  'bool',
  'email',
  'url',
  'date',
  'autodate',
  'select',
])
const isShown = ({ type, hidden }: Field) => SHOWN.has(type) && !hidden
export const listShownFields = ({ fields }: Collection) => fields.filter(isShown)
const listDateFields = (collection: Collection) =>
  listShownFields(collection).filter(({ type }) => type === 'date')

const isRelationTo =
  (id: string) =>
  (field: Field): field is RelationField =>
    field.type === 'relation' && field.collectionId === id

const isNamed = ({ name }: Field) => isPhoneTitle(name) || isMobileTitle(name)

/** The fields that may say who gets the text, the likeliest first: relations to a contact, then numbers. */
function listPhoneFields({ fields }: Collection): Field[] {
  const open = fields.filter(({ hidden }) => !hidden)
  const texts = open.filter(({ type, system }) => type === 'text' && !system)
  return [
    ...open.filter((field) => isRelationTo(CONTACTS_ID)(field) && !isMulti(field)),
    ...texts.filter(isNamed),
    ...texts.filter((field) => !isNamed(field)),
  ]
}

const isOfSuperusers = (store: Store, collection: Collection) =>
  !collection.system && !collection.isInternal && !store.catalog.isBuiltIn(collection)

const NO_COLLECTION = 'reminder.collection names none whose records your account may list'

/** Finds where a reminder's dates are. Throws 400 that says what is missing. */
export async function openReminderSource(
  store: Store,
  user: string,
  wanted: Pick<WantedReminder, 'collection' | 'field' | 'phone' | 'filter'>,
): Promise<ReminderSource> {
  const { catalog, db } = store
  const collection = catalog.find(wanted.collection)
  const isOfContacts = collection?.id === CONTACTS_ID
  if (!collection || !(isOfContacts || isOfSuperusers(store, collection)))
    throw invalidRequest(NO_COLLECTION)
  const rule = collection.listRule
  if (rule === null) throw invalidRequest(NO_COLLECTION)
  const owner = await findAuthRecord(store, catalog.find(USERS_ID) as AuthCollection, user)
  const source = {
    collection,
    rule,
    filter: wanted.filter ?? '',
    request: { ...NO_REQUEST, auth: owner },
    user,
    isOfContacts,
    owners: isOfContacts ? [] : collection.fields.filter(isRelationTo(USERS_ID)),
  }
  if (isOfContacts) {
    const field = makeFieldFinder(await loadFieldDefinitions(db, user))(wanted.field)
    if (field?.type !== 'date')
      throw invalidRequest('reminder.field must be a field of your contacts of the type date')
    return { ...source, date: field.key, phone: undefined }
  }
  const date = listDateFields(collection).find(({ name }) => name === wanted.field)
  if (!date) throw invalidRequest(`reminder.field must be a date field of ${collection.name}`)
  return { ...source, date: date.name, phone: findPhoneField(collection, wanted.phone ?? '') }
}

function findPhoneField(collection: Collection, name: string): Field {
  const [likeliest, ...others] = listPhoneFields(collection)
  const isSure = likeliest && (likeliest.type === 'relation' || isNamed(likeliest))
  const found =
    name === ''
      ? isSure || others.length === 0
        ? likeliest
        : undefined
      : [likeliest, ...others].find((field) => field?.name === name)
  if (found) return found
  throw invalidRequest(
    `reminder.phone must be a field of ${collection.name}: a text with a phone number, or a relation to one contact`,
  )
}

const NAMES = z.array(z.string())
export const REMINDER_SOURCES = z
  .object({
    sources: z.array(
      z.object({
        collection: z.string().describe('Its id.'),
        name: z.string(),
        dates: NAMES.describe('Fields with a date.'),
        phones: NAMES.describe(
          'Fields that may have the number or the contact, the likeliest first; none for contacts.',
        ),
        variables: NAMES.describe(
          'What a text may name, beside `name`, `phone`, `stop_link` and the fields of the contact.',
        ),
      }),
    ),
  })
  .meta({ id: 'ReminderSources' })

/** Where reminders of an account may have their dates: contacts, and collections that superusers made. */
export async function listReminderSources(
  store: Store,
  user: string,
): Promise<z.output<typeof REMINDER_SOURCES>> {
  const fields = await loadFieldDefinitions(store.db, user)
  const dates = fields.filter(({ type }) => type === 'date').map(({ name }) => name)
  const contacts = { collection: CONTACTS_ID, name: CONTACTS_ID, dates, phones: [], variables: [] }
  const others = store.catalog.all
    .filter((one) => isOfSuperusers(store, one) && one.listRule !== null)
    .map((one) => ({
      collection: one.id,
      name: one.name,
      dates: listDateFields(one).map(({ name }) => name),
      phones: listPhoneFields(one).map(({ name }) => name),
      variables: listShownFields(one).map(({ name }) => name),
    }))
  const sources = [contacts, ...others].filter((one) => one.dates.length > 0)
  return {
    sources: sources.filter(({ name, phones }) => name === CONTACTS_ID || phones.length > 0),
  }
}

/** A checked reminder as it is stored, with the ids of what it names. */
export const nameReminder = (
  { collection, phone }: ReminderSource,
  { field, filter, yearly }: WantedReminder,
  offset: Reminder['offset'],
  has_time: boolean,
): Reminder => ({
  collection: collection.id,
  field,
  phone: phone?.name ?? '',
  offset,
  filter: filter ?? '',
  yearly: yearly ?? false,
  has_time,
})
