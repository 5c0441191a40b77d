import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Value } from '../../engine/fields/field.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { forbidden, invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { completeNumber } from '../base/complete-numbers.ts'
import { lockUserSends } from '../base/lock-user-sends.ts'
import {
  attachConsentProof,
  checkConsentSource,
  findEnteringSender,
  hashShownText,
  readConsentSource,
} from './consent-entries.ts'

const KEPT = 'Entries of consents are never changed or deleted.'
const OF_THE_SERVER: readonly unknown[] = ['keyword', 'reply']
/** Clocks of clients may be ahead of the server's. */
const MAX_AHEAD_MS = 300_000

type Values = Readonly<Record<string, Value>>

/** Throws 400 for an entry that only the server may add, and for one about the future. */
function checkConsentEntry({ source, event, given_at }: Values): void {
  const refuse = (field: string, code: string, message: string) => {
    throw invalidFields({ [field]: makeFieldError(code, message) })
  }
  if (OF_THE_SERVER.includes(source))
    refuse(
      'source',
      'validation_invalid_source',
      'Only the server adds entries for texts of a person.',
    )
  if (event === 'confirmed')
    refuse(
      'event',
      'validation_invalid_event',
      'Only the server adds entries of people who confirmed.',
    )
  if (String(given_at) > formatDate(new Date(Date.now() + MAX_AHEAD_MS)))
    refuse('given_at', 'validation_date_in_future', 'Must not be in the future.')
}

/**
 * Rules of the ledger of consent: it only grows. Completes an entry: its number and contact by each other,
 * its purpose, source and version, and the person or key that enters it. An opt-out ends waiting
 * messages: of a group, those of its campaigns.
 */
export const consentsExtension: Extension = {
  setByServer: ['entered_by'],
  beforeImport: (db) => attachConsentProof(db, { source: 'import' }),
  async beforeCreate(store, values, request) {
    checkConsentEntry(values)
    checkConsentSource(request, String(values.source ?? ''))
    await completeNumber(store, values, 'number')
    const user = String(values.user)
    Object.assign(
      values,
      await findPerson(store, user, String(values.contact), String(values.number)),
    )
    if (values.event === 'undone') {
      await lockUserSends(store.db, user)
      await requireMistake(store, values, findEnteringSender(request))
    }
    values.purpose ||= (await groupName(store, user, String(values.group))) || 'all'
    values.entered_by = findEnteringSender(request)
    const source = readConsentSource(request, String(values.source ?? ''))
    values.source = source
    values.version ||= hashShownText(String(values.shown))
    // an earlier change in the same batch request may have been an import
    await attachConsentProof(store.db, { source })
    // before contacts: the triggers then end waiting texts (sms_texts_unwanted)
    if (values.event === 'opt_out') await lockUserSends(store.db, user)
    return undefined
  },
  async beforeUpdate() {
    throw forbidden(KEPT)
  },
  // the database refuses it, too: see the trigger consents_kept
  async beforeDelete({ db }, ids) {
    const kept = await queries(db)
      .selectFrom('consents as e')
      .innerJoin('users as u', 'u.id', 'e.user')
      .where('e.id', '=', matchAny(ids))
      .executeTakeFirst()
    if (kept) throw forbidden(KEPT)
  },
}

const MISTAKE =
  'Only who entered an opt-out from all texts can undo it, within two minutes, and before the person opts out.'

/** Sources of opt-outs that the account enters: all others are of the person, or of an import. */
const OF_THE_ACCOUNT = ['console', 'api'] as const

/**
 * Throws 400 unless the number's last opt-out, from all texts, was just entered by this sender ('': a
 * superuser) in the console or by a program: an opt-out of the person's own stays, also one that a phone
 * received earlier and reported since, which changes no state.
 */
async function requireMistake({ db }: Store, values: Values, sender: string): Promise<void> {
  const { user, number, group, purpose } = values
  const isAll = !group && (!purpose || purpose === 'all')
  const found = await queries(db)
    .selectFrom('consent_states as s')
    .innerJoin('consents as e', 'e.id', 's.entry')
    .select('e.id')
    .where('s.user', '=', String(user))
    .where('s.number', '=', String(number))
    .where('s.group', '=', '')
    .where('s.purpose', '=', 'all')
    .where('s.state', '=', 'stopped')
    .where('e.event', '=', 'opt_out')
    .where('e.source', 'in', OF_THE_ACCOUNT)
    .where('e.entered_by', '=', sender)
    .where('e.created', '>', sql<string>`pb_text(clock_timestamp() - interval '2 minutes')`)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('consents as o')
            .select('o.id')
            .whereRef('o.user', '=', 'e.user')
            .whereRef('o.number', '=', 'e.number')
            .whereRef('o._rowid', '>', 'e._rowid')
            .where('o.event', '=', 'opt_out')
            .where('o.source', 'not in', OF_THE_ACCOUNT),
        ),
      ),
    )
    .executeTakeFirst()
  if (!found || !isAll)
    throw invalidFields({ event: makeFieldError('validation_not_undoable', MISTAKE) })
}

/** The contact and number of an entry that names one of them. Throws 400 if they are two persons. */
async function findPerson({ db }: Store, user: string, contact: string, number: string) {
  const found = await queries(db)
    .selectFrom('contacts')
    .select(['id', 'phone'])
    .where('user', '=', user)
    .where(contact ? 'id' : 'phone', '=', contact || number)
    .executeTakeFirst()
  if (found && number !== '' && found.phone !== number)
    throw invalidFields({
      number: makeFieldError('validation_other_number', 'Must be the number of the contact.'),
    })
  return { contact: found?.id ?? contact, number: number || (found?.phone ?? '') }
}

async function groupName({ db }: Store, user: string, id: string): Promise<string> {
  if (id === '') return ''
  const group = await queries(db)
    .selectFrom('contact_groups')
    .select('name')
    .where('user', '=', user)
    .where('id', '=', id)
    .executeTakeFirst()
  return group?.name ?? ''
}

/** Rules of present states: only entries of `consents` change them. */
export const consentStatesExtension: Extension = {
  async beforeCreate() {
    throw forbidden(FOLLOWS)
  },
  async beforeUpdate() {
    throw forbidden(FOLLOWS)
  },
  async beforeDelete({ db }, ids) {
    const kept = await queries(db)
      .selectFrom('consent_states as s')
      .innerJoin('users as u', 'u.id', 's.user')
      .leftJoin('contact_groups as g', 'g.id', 's.group')
      .where('s.id', '=', matchAny(ids))
      .where(({ or, eb }) => or([eb('s.group', '=', ''), eb('g.id', 'is not', null)]))
      .executeTakeFirst()
    if (kept) throw forbidden(FOLLOWS)
  },
}

const FOLLOWS = 'The states of consent follow the entries of consents.'
