import type { Store } from '../../engine/collections/catalog.ts'
import type { Value } from '../../engine/fields/field.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { requireOwnRecord } from '../../engine/records/require-own.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { isObject, parseJson } from '../../platform/tools/json.ts'
import { type AccountLocale, UNKNOWN_LOCALE } from '../../portable/account-locale.ts'
import { readContactFieldValue } from '../../portable/contact-field-value.ts'
import { normalizePhone } from '../../portable/phone/read-phone.ts'
import { type ContactField, loadFieldDefinitions, makeFieldFinder } from '../base/contact-fields.ts'
import { loadAccountLocale } from '../base/load-account-locale.ts'
import { lockUserSends } from '../base/lock-user-sends.ts'
import {
  attachConsentProof,
  findEnteringSender,
  readConsentSource,
} from '../consent/consent-entries.ts'
import { hasStopped } from '../consent/stopped-numbers.ts'
import { checkTimeZone, completeTimeZone } from '../lines/check-zones-and-hours.ts'

/**
 * Rules of contacts: known time zones, and values that fit the account's fields. Some installations have no
 * field of a time zone. The field's pattern alone checks the number, as in PocketBase; it is stored in its
 * one form. A change of `opted_out`, and each contact of an import, becomes an entry of `consents`. An import
 * ends no opt-out. An opt-out ends the texts that no device has fetched (sms_texts_unwanted), and so waits
 * for sends that are being accepted.
 */
export const contactsExtension: Extension = {
  check: (values) => checkTimeZone(values),
  async beforeCreate(store, values, request) {
    values.phone = normalizePhone(String(values.phone))
    const source = readConsentSource(request)
    if (values.opted_out === true || source === 'import') {
      // also for the first contact of an import: a later one may have opted out, and another order could
      // deadlock with an incoming text
      await lockUserSends(store.db, String(values.user))
      await attachConsentProof(store.db, { source, entered_by: findEnteringSender(request) })
    }
    if (values.opted_out !== true) await showStop(store, values)
    await completeTimeZone(store.db, values)
    await requireOwnRecord(store, 'labels', values)
    await fitContactValues(store, values)
    return undefined
  },
  async beforeUpdate(store, values, old, request) {
    if (values.phone !== old.phone) values.phone = normalizePhone(String(values.phone))
    const isOther = values.phone !== old.phone || values.user !== old.user
    if (readConsentSource(request) === 'import' && old.opted_out === true && !isOther)
      values.opted_out = true
    if (values.opted_out !== old.opted_out || values.opted_out === true)
      await attachConsentProof(store.db, {
        source: readConsentSource(request),
        entered_by: findEnteringSender(request),
      })
    if (values.opted_out !== true && isOther) await showStop(store, values)
    if (values.opted_out === true && (isOther || old.opted_out !== true))
      await lockUserSends(store.db, String(values.user))
    await completeTimeZone(store.db, values, old)
    await requireOwnRecord(store, 'labels', values, old)
    await fitContactValues(store, values, old)
  },
}

/** A contact with a new number that has opted out: the trigger contacts_stopped stores it, this shows it. */
async function showStop({ db }: Store, values: Record<string, Value>): Promise<void> {
  if (await hasStopped(db, String(values.user), String(values.phone))) values.opted_out = true
}

type Values = Record<string, Value>
type Data = Readonly<Record<string, unknown>>

/**
 * Checks the changed members of a contact's `data` against the fields of its account, and stores each under
 * the field's key. Members that no field has may hold any JSON, and so may unchanged ones: they can be older
 * than their field. Throws 400 `data`.
 */
async function fitContactValues(
  { db }: Store,
  values: Values,
  old?: Readonly<Values>,
): Promise<void> {
  if (values.data === old?.data && values.user === old?.user) return
  const data = readData(values.data)
  const before = values.user === old?.user ? readData(old?.data) : {}
  const changed = Object.keys(data).filter((name) => !isSame(data[name], before[name]))
  if (changed.length === 0) return
  const user = String(values.user)
  const findField = makeFieldFinder(await loadFieldDefinitions(db, user))
  const hasDate = changed.some((name) => findField(name)?.type === 'date')
  const locale = hasDate ? await loadAccountLocale(db, user) : UNKNOWN_LOCALE
  const fitted = new Map(Object.entries(data))
  for (const name of changed) {
    const field = findField(name)
    if (!field) continue
    fitted.delete(name)
    fitted.set(field.key, fitValue(field, data[name], locale))
  }
  values.data = JSON.stringify(Object.fromEntries(fitted))
}

function readData(text: Value | undefined): Data {
  const data = typeof text === 'string' ? parseJson(text) : undefined
  return isObject(data) ? data : {}
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

function fitValue(field: ContactField, given: unknown, locale: AccountLocale): unknown {
  const reading = readContactFieldValue(field, given, locale)
  if (reading.fault === undefined) return reading.value
  throw invalidFields({
    data: makeFieldError(
      'validation_invalid_contact_field',
      `${field.name} ${describeType(field)}`,
      {
        field: field.name,
        type: field.type,
      },
    ),
  })
}

const describeType = ({ type, choices }: ContactField): string =>
  ({
    text: 'must be a text',
    number: 'must be a number, such as 12.5',
    date: 'must be a date, such as 2026-12-31',
    choice: `must be one of: ${choices.join(', ')}`,
  })[type]
