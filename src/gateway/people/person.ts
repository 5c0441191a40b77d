import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { readSender } from '../../portable/phone/incoming-sender.ts'
import { looksDialable, normalizePhone } from '../../portable/phone/read-phone.ts'
import type { Person } from '../base/personal-data.ts'
import { loadAccountCountry } from '../base/read-numbers.ts'
import { listStoredSpellings, writeSpellingPattern } from './number-spellings.ts'

/** Digits that are more than a short code. */
const MIN_DIGITS = 7

export function makePerson(user: string, stored: string): Person {
  const number = normalizePhone(stored)
  return {
    user,
    number,
    forms: listStoredSpellings(number),
    spellings: writeSpellingPattern(number),
  }
}

/**
 * A person as an account has stored them. `stored`: a number in any form, such as the national one of a
 * contact that is older than the account's country.
 */
export async function findPerson(
  store: Pick<Store, 'db'>,
  user: string,
  stored: string,
): Promise<Person> {
  const country = await loadAccountCountry(store, user)
  const person = makePerson(user, readSender(stored, country))
  const old = (await findIrregular(store.db, person)).filter(
    (one) => readSender(one, country) === person.number,
  )
  return { ...person, forms: [...new Set([...person.forms, ...old])] }
}

const MAX_IRREGULAR = 100

/** Numbers of conversations and contacts that are not in E.164 and end as the person's number. */
async function findIrregular(db: Db, { user, number }: Person): Promise<string[]> {
  const all = sql<{ number: string }>`(
    select c.number from conversations c where c."user" = ${user}
    union select c.phone from contacts c where c."user" = ${user})`
  const found = await queries(db)
    .selectFrom(all.as('stored'))
    .select('number')
    .where(sql<boolean>`number !~ '^\\+[1-9][0-9]{6,14}$'`)
    .where(sql<boolean>`right(regexp_replace(number, '[^0-9]', '', 'g'), 6) = ${number.slice(-6)}`)
    .limit(sql.lit(MAX_IRREGULAR))
    .execute()
  return found.map((one) => one.number)
}

/** All persons of an account, for an export of the whole account. */
export const makeEveryPerson = (user: string): Person => ({
  user,
  number: '',
  forms: [''],
  spellings: '',
})

/**
 * A number without a known country as a conversation of an account has it; undefined for other texts, such as
 * names and short codes.
 */
export async function findConversationNumber(
  db: Db,
  user: string,
  given: string,
): Promise<string | undefined> {
  if (!looksDialable(given) || given.replace(/\P{Nd}/gu, '').length < MIN_DIGITS) return undefined
  const found = await queries(db)
    .selectFrom('conversations')
    .select('number')
    .where('user', '=', user)
    .where('number', '=', given)
    .executeTakeFirst()
  return found?.number
}

/** The number of a contact of an account; undefined without such a contact. */
export async function findContactNumber(
  db: Db,
  user: string,
  contact: string,
): Promise<string | undefined> {
  const found = await queries(db)
    .selectFrom('contacts')
    .select('phone')
    .where('id', '=', contact)
    .where('user', '=', user)
    .executeTakeFirst()
  return found?.phone
}

/** The name of the contact with the number of a person; '' without one. */
export async function loadContactName(db: Db, { user, number, forms }: Person): Promise<string> {
  const found = await queries(db)
    .selectFrom('contacts')
    .select('name')
    .where('user', '=', user)
    .where('phone', '=', matchAny(forms))
    .orderBy(sql`phone <> ${number}`)
    .limit(1)
    .executeTakeFirst()
  return found?.name.trim() ?? ''
}
