import type { Store } from '../../engine/collections/catalog.ts'
import type { Value } from '../../engine/fields/field.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { requireOwnRecord } from '../../engine/records/require-own.ts'
import { normalizePhone } from '../../portable/phone/read-phone.ts'
import { lockUserSends } from '../base/lock-user-sends.ts'
import {
  attachConsentProof,
  findEnteringSender,
  readConsentSource,
} from '../consent/consent-entries.ts'
import { hasStopped } from '../consent/stopped-numbers.ts'
import { checkTimeZone, completeTimeZone } from '../lines/quiet-hours.ts'
import { fitContactValues } from './contact-values.ts'

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
