import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, matchAnyFound, NOW, queries } from '../../platform/db/queries.ts'
import { type OptWords, readOptWord } from '../../portable/read-opt-word.ts'
import { lockUserSends } from '../base/lock-user-sends.ts'
import { addConsentEntry } from '../consent/consent-entries.ts'
import { makeKeywordProof, readOptWords, setOptedOut } from '../consent/set-opted-out.ts'
import { hasStopped } from '../consent/stopped-numbers.ts'
import type { NationalNumber, NationalTexts } from './national-numbers.ts'

/** Maximum texts that a transaction changes. */
const MAX_TEXTS = 500
/** Maximum short texts among which a later opt-in is searched. */
const MAX_LATER = 1_000

/**
 * Stores a national number's texts, conversation and contact under its E.164 number. Each transaction holds
 * the account's sends, so that servers and other runs wait for at most MAX_TEXTS texts. After a crash between
 * two of them, the next run does the rest: the conversation is joined last.
 */
export async function joinNumber(
  store: Store,
  user: string,
  joined: NationalNumber,
  serverWords: OptWords,
): Promise<void> {
  const { number, phone, texts } = joined
  for (const group of texts) {
    while ((await moveTexts(store, user, joined, group, serverWords)) === MAX_TEXTS);
  }
  if (phone === undefined) return
  while ((await moveSentTexts(store.db, user, number, phone)) === MAX_TEXTS);
  await store.db.transaction(async (db) => {
    await lockUserSends(db, user)
    const isOut = await hasStopped(db, user, number)
    await callFunction(db, 'sms_conversation_join', user, number, phone)
    if (isOut && !(await hasStopped(db, user, phone)))
      await setOptedOut({ ...store, db }, user, phone, true, { source: 'import' })
    for (const group of await findGroupsLeft(db, user, number, phone))
      await addConsentEntry(db, { user, number: phone, group, event: 'opt_out', source: 'import' })
    await db.query(KEEP_STOPPED, [user, number, phone])
  })
}

/** The groups that a person has left under the stored number, and has not joined again under `phone`. */
async function findGroupsLeft(
  db: Db,
  user: string,
  number: string,
  phone: string,
): Promise<string[]> {
  const found = await queries(db)
    .selectFrom('consent_states as s')
    .innerJoin('contact_groups as g', 'g.id', 's.group')
    .select('g.id')
    .where('s.user', '=', user)
    .where('s.number', '=', number)
    .where('s.state', '=', 'stopped')
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('consent_states as n')
            .where('n.user', '=', user)
            .where('n.number', '=', phone)
            .whereRef('n.group', '=', 's.group')
            .where(sql<boolean>`(n.state = 'stopped' or n.state = 'given' and n.since > s.since)`),
        ),
      ),
    )
    .orderBy('g.id')
    .execute()
  return found.map(({ id }) => id)
}

/** A person who was erased under the stored number ($2) stays on the stop list. */
const KEEP_STOPPED = `
insert into _stop_list ("user", hash) select l."user", person_hash($1, $3) from _stop_list l
where l."user" = $1 and l.hash = person_hash($1, $2) on conflict do nothing`

/** Moves some texts that were sent to a stored number to its E.164 number. Returns how many. */
const moveSentTexts = (whole: Db, user: string, number: string, phone: string): Promise<number> =>
  whole.transaction(async (db) => {
    await lockUserSends(db, user)
    const moved = await queries(db)
      .updateTable('sms_messages')
      .set({ to: phone, updated: NOW })
      .where('id', '=', ({ selectFrom }) =>
        matchAnyFound(
          selectFrom('sms_messages')
            .select('id')
            .where('user', '=', user)
            .where('to', '=', number)
            .where('message_type', '=', sql.lit('outgoing'))
            .limit(MAX_TEXTS)
            .forUpdate(),
        ),
      )
      .returning('id')
      .execute()
    return moved.length
  })

type Moved = Readonly<{ id: string; body: string; subject: string; delivered_at: string }>

/** Moves the newest texts of a group to their E.164 number. An opt-out among them holds for that number. */
const moveTexts = (
  store: Store,
  user: string,
  joined: NationalNumber,
  group: NationalTexts,
  serverWords: OptWords,
): Promise<number> =>
  store.db.transaction(async (db) => {
    await lockUserSends(db, user)
    const moved = await renameSender(db, user, joined.number, group)
    if (moved.length === 0) return 0
    const ids = moved.map(({ id }) => id)
    await queries(db)
      .updateTable('auto_answers_sent')
      .set({ number: group.phone })
      .where('message', '=', matchAny(ids))
      .execute()
    // the conversation of the national number becomes, or joins, the one of `joined.phone`
    if (!joined.hasConversation || group.phone !== joined.phone)
      await callFunction(db, 'sms_conversation_heard', user, group.phone)
    const inside = { ...store, db }
    const words = await readOptWords(inside, user, serverWords, moved)
    // in another country, the national number may be that of another person
    const isOnePerson = joined.texts.every(({ phone }) => phone === group.phone)
    const numbers = isOnePerson ? [group.phone, joined.number] : [group.phone]
    const last = await findLastOptOut(db, user, numbers, moved, words)
    if (last) {
      await setOptedOut(
        inside,
        user,
        group.phone,
        true,
        makeKeywordProof({ said: last.body, message: last.id }),
      )
    }
    return moved.length
  })

/** The newest first, so that later opt-ins have the E.164 number before an opt-out is read. */
const renameSender = (
  db: Db,
  user: string,
  number: string,
  { device, sim, to, phone, ownPhone }: NationalTexts,
): Promise<Moved[]> =>
  queries(db)
    .updateTable('sms_messages')
    .set({ from: phone, to: ownPhone, updated: NOW })
    .where('id', '=', ({ selectFrom }) =>
      matchAnyFound(
        selectFrom('sms_messages')
          .select('id')
          .where('user', '=', user)
          .where('from', '<>', sql.lit(''))
          .where('from', '=', number)
          .where('message_type', '=', sql.lit('incoming'))
          .where('device', '=', device)
          .where('sim', '=', sim)
          .where('to', '=', to)
          .orderBy('delivered_at', 'desc')
          .limit(MAX_TEXTS)
          .forUpdate(),
      ),
    )
    .returning(['id', 'body', 'subject', 'delivered_at'])
    .execute()

/** The last opt-out of the moved texts, if it is later than all opt-ins from these numbers. */
async function findLastOptOut(
  db: Db,
  user: string,
  numbers: readonly string[],
  moved: readonly Moved[],
  words: OptWords,
): Promise<Moved | undefined> {
  const outs = moved.filter((text) => readOptWord(text, words) === true)
  const last = outs.toSorted((a, b) => (a.delivered_at < b.delivered_at ? -1 : 1)).at(-1)
  if (last === undefined) return undefined
  const later = await queries(db)
    .selectFrom('sms_messages')
    .select(['body', 'subject'])
    .where('user', '=', user)
    .where('from', '<>', sql.lit(''))
    .where('from', '=', matchAny(numbers))
    .where('message_type', '=', sql.lit('incoming'))
    .where('delivered_at', '>', last.delivered_at)
    .where(sql<boolean>`(length(body) < 100 or body ~ '\\n')`)
    .orderBy('delivered_at', 'desc')
    .limit(MAX_LATER)
    .execute()
  return later.some((text) => readOptWord(text, words) === false) ? undefined : last
}
