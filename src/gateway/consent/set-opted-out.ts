import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { ALL_LANGUAGES, addLanguageWords } from '../../portable/opt-words-by-language.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { type OptWords, readOptWord } from '../../portable/read-opt-word.ts'
import type { TextWithSubject } from '../../portable/written-words.ts'
import { logChanged } from '../base/message-status.ts'
import { loadOptOutLanguages } from './account-languages.ts'
import { addConsentEntry, type ConsentProof, withConsentProof } from './consent-entries.ts'
import type { OptChange } from './drop-late-opt-changes.ts'
import { isErasedOrStoppedSql } from './stopped-numbers.ts'

/** The server's words and those of an account's languages. Asks only if a text is a word of some language. */
export async function readOptWords(
  { db }: Pick<Store, 'db'>,
  user: string,
  words: OptWords,
  texts: readonly TextWithSubject[],
): Promise<OptWords> {
  const isForeign = (text: TextWithSubject) => readOptWord(text, ALL_LANGUAGES) !== undefined
  if (!texts.some(isForeign)) return words
  return addLanguageWords(words, await loadOptOutLanguages(db, user))
}

const storeOptOut = (db: Db, user: string, phone: string) =>
  queries(db)
    .insertInto('contacts')
    .values({ id: sql`pb_new_id()`, user, phone, opted_out: true, created: NOW, updated: NOW })
    .onConflict((found) =>
      found
        .columns(['user', 'phone'])
        .doUpdateSet(({ ref }) => ({ opted_out: true, updated: ref('excluded.updated') }))
        .where('contacts.opted_out', '=', false),
    )
    .returning(['id', sql<boolean>`xmax = 0`.as('isNew')])
    .execute()

/** Whether a page has stored the present opt-out of a number: a page that is opened again adds nothing. */
const isOutByPage = async (db: Db, user: string, phone: string): Promise<boolean> =>
  (await queries(db)
    .selectFrom('consent_states as s')
    .innerJoin('consents as e', 'e.id', 's.entry')
    .select('s.id')
    .where('s.user', '=', user)
    .where('s.number', '=', phone)
    .where('s.group', '=', '')
    .where('s.purpose', '=', 'all')
    .where('s.state', '=', 'stopped')
    .where('e.source', '=', 'page')
    .executeTakeFirst()) !== undefined

/**
 * Stores that a person has opted out of a user's texts, or in; creates a contact for an opt-out. `proof`: of
 * the entry of `consents`. Each STOP, and a page after one, adds an entry: a START that is older than the
 * last opt-out ends none.
 */
export async function setOptedOut(
  store: Store,
  user: string,
  phone: string,
  isOut: boolean,
  proof: ConsentProof,
): Promise<void> {
  if (!E164.test(phone)) return // senders that are names or short codes have no contact
  const changed = isOut
    ? await withConsentProof(store.db, proof, () => storeOptOut(store.db, user, phone))
    : []
  for (const { id, isNew } of changed)
    await logChanged(store, 'contacts', isNew ? 'create' : 'update', [id])
  const isEntered = isOut
    ? changed.length > 0 || (proof.source === 'page' && (await isOutByPage(store.db, user, phone)))
    : !(await evaluateSql(store.db, isErasedOrStoppedSql(user, phone)))
  const event = isOut ? 'opt_out' : 'opt_in'
  if (!isEntered)
    await addConsentEntry(store.db, { ...proof, user, number: phone, group: '', event })
}

export const makeKeywordProof = ({
  said,
  message,
}: Pick<OptChange, 'said' | 'message'>): ConsentProof => ({
  source: 'keyword',
  said,
  message,
})
