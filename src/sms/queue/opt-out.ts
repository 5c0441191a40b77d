import { sql } from 'kysely'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { NOW, queries } from '../../db/queries.ts'
import { ALL_LANGUAGES, withLanguages } from '../../portable/opt-languages.ts'
import { type OptWords, readOptWord } from '../../portable/opt-words.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { addEntry, type Proof, withProof } from '../consent/ledger.ts'
import { isErasedOrStoppedSql } from '../consent/stopped.ts'
import { logChanged } from '../status.ts'
import type { OptChange } from './opt-changes.ts'

/** The server's words and those of an account's languages. Asks only if a text is a word of some language. */
export async function optWordsOf(
  { db }: Pick<Store, 'db'>,
  user: string,
  words: OptWords,
  bodies: readonly string[],
): Promise<OptWords> {
  const isForeign = (body: string) => readOptWord(body, ALL_LANGUAGES) !== undefined
  if (!bodies.some(isForeign)) return words
  const settings = await queries(db)
    .selectFrom('user_settings')
    .select('opt_out_languages')
    .where('user', '=', user)
    .executeTakeFirst()
  return withLanguages(words, settings?.opt_out_languages ?? [])
}

const optOut = (db: Db, user: string, phone: string) =>
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

const optIn = (db: Db, user: string, phone: string) =>
  queries(db)
    .updateTable('contacts')
    .set({ opted_out: false, updated: NOW })
    .where('user', '=', user)
    .where('phone', '=', phone)
    .where('opted_out', '=', true)
    .returning(['id', sql<boolean>`false`.as('isNew')])
    .execute()

/** Whether the person of a number was erased or has opted out. */
async function isStopped(db: Db, user: string, phone: string): Promise<boolean> {
  const { stopped } = await queries(db)
    .selectNoFrom(isErasedOrStoppedSql(user, phone).as('stopped'))
    .executeTakeFirstOrThrow()
  return stopped
}

/**
 * Stores that a person has opted out of a user's texts, or in; creates a contact for an opt-out. `proof`: of
 * the entry of `consents`.
 */
export async function setOptedOut(
  store: Store,
  user: string,
  phone: string,
  isOut: boolean,
  proof: Proof,
): Promise<void> {
  if (!E164.test(phone)) return // senders that are names or short codes have no contact
  const change = isOut ? optOut : optIn
  const changed = await withProof(store.db, proof, () => change(store.db, user, phone))
  if (!isOut && changed.length === 0 && (await isStopped(store.db, user, phone)))
    await addEntry(store.db, { ...proof, user, number: phone, group: '', event: 'opt_in' })
  for (const { id, isNew } of changed) await logChanged(store, 'contacts', isNew ? 'create' : 'update', [id])
}

/** The proof of an opt-out or opt-in by a text. */
export const proofOf = ({ said, message }: Pick<OptChange, 'said' | 'message'>): Proof => ({
  source: 'keyword',
  said,
  message,
})
