import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { deriveId } from '../../platform/tools/random.ts'
import { isWritten } from '../../portable/data-url.ts'
import { type OptWords, readOptWord } from '../../portable/read-opt-word.ts'
import { readsLikeOptOut } from '../../portable/reads-like-opt-out.ts'
import { countSegments } from '../../portable/segments.ts'
import type { Device } from '../base/device-record.ts'
import { lockUserSends } from '../base/lock-user-sends.ts'
import type { Attachment } from '../base/message-files.ts'
import { readConsentWord } from '../consent/consent-words.ts'
import { dropLateChanges, type OptChange } from '../consent/drop-late-opt-changes.ts'
import { readJoinGroups } from '../consent/joinable-groups.ts'
import { makeKeywordProof, readOptWords, setOptedOut } from '../consent/set-opted-out.ts'
import { assignInTurn } from './assign-conversations.ts'
import { completeSenders } from './complete-senders.ts'
import { isAnswerable } from './due-answer.ts'
import { findReactions } from './find-reactions.ts'
import { INSERT_RECEIVED_TEXTS } from './insert-received-texts.ts'
import { recordConsentTexts } from './record-consent-texts.ts'
import { storeAttachments } from './store-attachments.ts'

/** A text that a device received. `receivedAt`: ms since 1970 (device's clock). `sim`: slot, 0 if unknown. */
export interface ReceivedText {
  readonly from: string
  /** Its first line is the subject of an MMS. */
  readonly body: string
  readonly subject?: string | undefined
  readonly receivedAt: number
  readonly sim: number
  /** The text from which the message's id is made, `body` by default. */
  readonly identity?: string
  readonly attachments?: readonly Attachment[]
  /** Maximum bytes of all files of the account; unlimited if absent. */
  readonly maxFileBytes?: number
}

/**
 * Stores received texts. Senders are completed before anything else looks at them. A message's id is made
 * from device, reported sender, time and text: a repeated report adds only missing attachments, and does not
 * bring back a deleted text. Opt-out and opt-in words change the contact; an opt-out ends unclaimed messages
 * to the sender. A text that only reads like an opt-out gets no automatic answer. Returns message ids in the
 * order of `reported`. Throws FilesFull above `maxFileBytes`.
 */
export async function receiveTexts(
  store: Store,
  device: Device,
  reported: readonly ReceivedText[],
  serverWords: OptWords,
): Promise<string[]> {
  // of the sender as reported: the same report makes the same id, whatever the country was
  const ids = reported.map((text) => makeReceivedId(device, text))
  const texts = await completeSenders(store, device, reported)
  const words = await readOptWords(store, device.user, serverWords, texts)
  const instants = makeDistinctInstants(texts)
  const reactions = await findReactions(store.db, device.user, texts)
  const rows = texts.map((text, i) => {
    const { from, body, subject = '', sim, attachments = [] } = text
    const isOut = readOptWord(text, words)
    const reacts = reactions.has(text)
    return {
      id: ids[i]!,
      from,
      body,
      subject,
      segments: countSegments(body).segments,
      sim,
      attachments: attachments.map(({ name }) => name),
      at: formatDate(new Date(instants[i]!)),
      answerable:
        isAnswerable(from) &&
        isWritten(body) &&
        isOut === undefined &&
        !reacts &&
        !readsLikeOptOut(text, words),
      stops: isOut === true,
      reacts,
    }
  })
  // sort: concurrent reports of the same texts then insert them in the same order and do not deadlock
  rows.sort((a, b) => (a.at + a.id < b.at + b.id ? -1 : 1))
  await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    // without this lock, a concurrent send or opt-out could use the old contact. Like a send, take it first:
    // the insert below locks conversations, and another order could deadlock
    const identified = texts
      .map((text, i) => ({ ...text, id: ids[i]!, at: instants[i]! }))
      .toSorted((a, b) => a.at - b.at)
    const mayConfirm = texts.some((text) => readConsentWord(text, words, [])?.kind === 'yes')
    if (mayConfirm || findLastOptWords(identified, words).length > 0)
      await lockUserSends(db, device.user)
    const stored = await db.query(INSERT_RECEIVED_TEXTS, [
      device.user,
      device.id,
      device.phone,
      JSON.stringify(rows),
    ])
    const isNew = new Set(stored.rows.map((row) => String(row[0])))
    if (stored.rows[0]?.[1])
      await assignInTurn(db, device.user, new Set(rows.map(({ from }) => from)))
    for (const [i, { attachments = [], maxFileBytes: maxBytes = 0 }] of texts.entries())
      await storeAttachments(inside, ids[i]!, attachments, isNew.has(ids[i]!), {
        id: device.user,
        maxBytes,
      })
    const fresh = sortReceived(
      identified.filter(({ id }) => isNew.has(id)),
      words,
    )
    const last = findLastOptWords(fresh, words)
    const said = await dropLateChanges(db, device.user, last)
    for (const one of said)
      await setOptedOut(inside, device.user, one.sender, one.isOut, makeKeywordProof(one))
    await recordConsentTexts(inside, device.user, fresh, words, readJoinGroups(stored.rows[0]?.[2]))
  })
  return ids
}

type Identified = ReceivedText & { readonly id: string }

/** The last opt-out or opt-in word of each sender, sorted, so that contacts are locked in one order. */
function findLastOptWords(texts: readonly Identified[], words: OptWords): OptChange[] {
  const last = new Map<string, OptChange>()
  for (const text of texts) {
    const { id, from, body } = text
    const isOut = readOptWord(text, words)
    if (isOut !== undefined) last.set(from, { sender: from, isOut, said: body, message: id })
  }
  return [...last.values()].sort((a, b) => (a.sender < b.sender ? -1 : 1))
}

const HOUR_MS = 3_600_000

/**
 * Leaves out texts of a clock that is far ahead, if the same report has an opt-out of their sender with a
 * possible time: the clock does not show that they are later. Opt-outs stay.
 */
function sortReceived(texts: readonly Identified[], words: OptWords): readonly Identified[] {
  const isAhead = ({ receivedAt }: Identified) =>
    removeSummerHour(receivedAt) - Date.now() > HOUR_MS / 2
  const isOut = (text: Identified) => readOptWord(text, words) === true
  const ahead = texts.filter((text) => isAhead(text) && !isOut(text))
  if (ahead.length === 0) return texts
  const stopped = new Set(
    texts.filter((text) => isOut(text) && !isAhead(text)).map(({ from }) => from),
  )
  return texts.filter((text) => !stopped.has(text.from) || !ahead.includes(text))
}

/** Subtracts an hour from times 30 to 60 minutes in the future: Android before 7 ignores summer time. */
function removeSummerHour(receivedAt: number) {
  const aheadMs = receivedAt - Date.now()
  return aheadMs > HOUR_MS / 2 && aheadMs <= HOUR_MS ? receivedAt - HOUR_MS : receivedAt
}

/** The times of texts, none in the future. Equal ones are set a millisecond apart, to keep the order. */
function makeDistinctInstants(texts: readonly ReceivedText[]): number[] {
  const latest = Date.now() - (texts.length - 1)
  const instants = texts.map(({ receivedAt }) => Math.min(removeSummerHour(receivedAt), latest))
  const earliestFirst = [...instants.keys()].sort((a, b) => instants[a]! - instants[b]! || a - b)
  let next = 0
  for (const i of earliestFirst) {
    instants[i] = Math.max(instants[i]!, next)
    next = instants[i]! + 1
  }
  return instants
}

export const makeReceivedId = (
  device: Device,
  { from, receivedAt, body, identity = body }: ReceivedText,
) => deriveId(JSON.stringify([device.id, from, receivedAt, identity]))
