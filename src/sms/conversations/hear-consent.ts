import { sql } from 'kysely'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'
import type { OptWords } from '../../portable/opt-words.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { consentWordOf } from '../consent/consent-words.ts'
import type { JoinGroup } from '../consent/joinable-groups.ts'
import { addEntry } from '../consent/ledger.ts'
import { latestOptChanges, type OptChange } from '../queue/opt-changes.ts'
import { answerRef } from './auto-answer.ts'
import { queueAnswers } from './queue-answers.ts'

/** A new text of a person. `receivedAt`: ms since 1970, by the device's clock. */
interface NewText {
  readonly id: string
  readonly from: string
  readonly body: string
  readonly receivedAt: number
}

/**
 * Adds entries to `consents` for new texts that join a group or confirm, unless the person has texted an
 * opt-out later. Queues an answer to each of them, and to each text that asks for help. Call it in the
 * transaction that stores the texts, after opt-outs.
 */
export async function hearConsent(
  store: Store,
  user: string,
  texts: readonly NewText[],
  words: OptWords,
  groups: readonly JoinGroup[],
): Promise<void> {
  const heard = texts.flatMap(({ id: message, from: sender, body: said, receivedAt: at }) => {
    const word = E164.test(sender) ? consentWordOf(said, words, groups) : undefined
    const group = word?.kind === 'join' ? word.group : undefined
    return word ? [{ sender, isOut: false, at, said, message, word, group }] : []
  })
  if (heard.length === 0) return
  const answered: string[] = []
  const latest = await latestOptChanges(store, user, heard, words)
  for (const one of latest.toSorted((a, b) => a.at - b.at)) {
    const { word, message } = one
    if (word.kind === 'join')
      await addEntry(store.db, {
        ...entryOf(user, one),
        event: 'opt_in',
        source: 'keyword',
        group: word.group,
      })
    if (word.kind !== 'yes' || (await confirm(store.db, user, one))) answered.push(message)
  }
  await queueAnswers(store.db, user, answered)
}

const entryOf = (user: string, { sender: number, said, message }: OptChange) => ({
  user,
  number,
  said,
  message,
})

/** Confirms the last question to this number that has not expired. Returns whether there was one. */
async function confirm(db: Db, user: string, one: OptChange): Promise<boolean> {
  // the text of a question is the proof: without a question, a word by which a person joined is not confirmed
  const question = await queries(db)
    .selectFrom('consent_states as s')
    .innerJoin('consents as e', (join) => join.on('e.id', '=', sql<string>`consent_question(s.id)`))
    .leftJoin('sms_messages as q', (join) =>
      join
        .onRef('q.user', '=', 's.user')
        .on('q.client_ref', '=', sql<string>`${answerRef('')} || e.message`)
        .on('q.client_ref', '<>', sql.lit(''))
        .on('e.message', '<>', sql.lit('')),
    )
    .select(['s.group', sql<string>`coalesce(q.body, e.shown)`.as('shown')])
    .where('s.user', '=', user)
    .where('s.number', '=', one.sender)
    .where('s.until', '<>', '')
    .orderBy('s.until', 'desc')
    .limit(sql.lit(1))
    .executeTakeFirst()
  if (!question?.shown) return false
  await addEntry(db, { ...entryOf(user, one), ...question, event: 'confirmed', source: 'reply' })
  return true
}
