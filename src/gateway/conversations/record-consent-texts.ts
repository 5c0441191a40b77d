import type { Store } from '../../engine/collections/catalog.ts'
import { callFunctionRows } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { E164 } from '../../portable/phone/e164.ts'
import type { OptWords } from '../../portable/read-opt-word.ts'
import type { TextWithSubject } from '../../portable/written-words.ts'
import { addConsentEntry } from '../consent/consent-entries.ts'
import { readConsentWord } from '../consent/consent-words.ts'
import { dropLateChanges, type OptChange } from '../consent/drop-late-opt-changes.ts'
import type { JoinGroup } from '../consent/joinable-groups.ts'
import { queueAnswers } from './queue-answers.ts'

interface NewText extends TextWithSubject {
  readonly id: string
  readonly from: string
}

/**
 * Adds entries to `consents` for new texts that join a group or confirm, unless the person has texted an
 * opt-out later. Queues an answer to each of them, and to each text that asks for help. `texts`: the oldest
 * first. Call it in the transaction that stores the texts, after opt-outs.
 */
export async function recordConsentTexts(
  store: Store,
  user: string,
  texts: readonly NewText[],
  words: OptWords,
  groups: readonly JoinGroup[],
): Promise<void> {
  const heard = texts.flatMap((text) => {
    const { id: message, from: sender, body: said } = text
    const word = E164.test(sender) ? readConsentWord(text, words, groups) : undefined
    const group = word?.kind === 'join' ? word.group : undefined
    return word ? [{ sender, isOut: false, said, message, word, group }] : []
  })
  if (heard.length === 0) return
  const answered: string[] = []
  for (const one of await dropLateChanges(store.db, user, heard)) {
    const { word, message } = one
    if (word.kind === 'join')
      await addConsentEntry(store.db, {
        ...makeOptEntry(user, one),
        event: 'opt_in',
        source: 'keyword',
        group: word.group,
      })
    if (word.kind !== 'yes' || (await confirmConsent(store.db, user, one))) answered.push(message)
  }
  await queueAnswers(store.db, user, answered)
}

const makeOptEntry = (user: string, { sender: number, said, message }: OptChange) => ({
  user,
  number,
  said,
  message,
})

/** Confirms the question that the text answers. Returns whether there is one. */
async function confirmConsent(db: Db, user: string, one: OptChange): Promise<boolean> {
  const [question] = await callFunctionRows(db, 'consent_answered', user, one.sender, one.message)
  // the text of a question is the proof
  if (!question?.shown) return false
  await addConsentEntry(db, {
    ...makeOptEntry(user, one),
    ...question,
    event: 'confirmed',
    source: 'reply',
  })
  return true
}
