import { pb } from '../../../data/client.ts'
import type { Message } from '../../../data/record-types.ts'

/** Texts per request: few enough to be added without a visible delay. */
export const STEP = 30
/**
 * Loading more texts at one end keeps at most this many: those at the other end are dropped, and loaded again
 * when needed.
 */
const MOST = 90

/** A gapless part of a conversation. */
export interface Stretch {
  /** Newest first. */
  readonly texts: readonly Message[]
  readonly hasOlder: boolean
  readonly hasNewer: boolean
}

/** Sort keys. Texts that a device reported together have the same `created`, so `delivered_at` is next. */
const KEYS = ['created', 'delivered_at', 'id'] as const
type Edge = Pick<Message, (typeof KEYS)[number]>

export const TEXTS = 'sms_messages'
const EXPAND: Readonly<Record<string, object>> = { [TEXTS]: { expand: 'device,sent_by' } }

/** Reads up to STEP texts just older or newer than `edge`; without `edge`, 'older' reads the newest ones. */
export async function readTexts(
  number: string,
  side: 'older' | 'newer',
  edge?: Edge,
): Promise<Message[]> {
  const [sign, sort] =
    side === 'older' ? ['<', '-created,-delivered_at,-id'] : ['>', 'created,delivered_at,id']
  const beyond = KEYS.map((key, i) =>
    [...KEYS.slice(0, i).map((same) => `${same} = {:${same}}`), `${key} ${sign} {:${key}}`].join(
      ' && ',
    ),
  )
  const filter = [
    '(message_type = "incoming" && from = {:number}) || (message_type = "outgoing" && to = {:number})',
    ...(edge ? [beyond.map((one) => `(${one})`).join(' || ')] : []),
  ]
    .map((one) => `(${one})`)
    .join(' && ')
  const values = { number, ...(edge && { ...edge, delivered_at: edge.delivered_at ?? '' }) }
  const options = { filter: pb.filter(filter, values), sort, skipTotal: true, ...EXPAND[TEXTS] }
  return (await pb.collection<Message>(TEXTS).getList(1, STEP, options)).items
}

export async function readLastTexts(number: string): Promise<Stretch> {
  return makeEndStretch(await readTexts(number, 'older'))
}

export const makeEndStretch = (newest: readonly Message[]): Stretch => ({
  texts: newest,
  hasOlder: newest.length === STEP,
  hasNewer: false,
})

/**
 * The texts around a text or note (`sms_messages/ID` or `conversation_notes/ID`). If there is no such text
 * or note, the newest texts.
 */
export async function readAround(number: string, at: string): Promise<Stretch> {
  const [collection = '', id = ''] = at.split('/')
  const found =
    id &&
    (await pb
      .collection<Message>(collection)
      .getOne(id, EXPAND[collection])
      .catch(() => undefined))
  if (!found) return readLastTexts(number)
  const [older, newer] = await Promise.all([
    readTexts(number, 'older', found),
    readTexts(number, 'newer', found),
  ])
  return {
    texts: [...newer.reverse(), ...(collection === TEXTS ? [found] : []), ...older],
    hasOlder: older.length === STEP,
    hasNewer: newer.length === STEP,
  }
}

const makeKey = (edge: Edge) => KEYS.map((key) => edge[key]).join()
const compareNewestFirst = (a: Edge, b: Edge) => (makeKey(a) < makeKey(b) ? 1 : -1)

/** Merges the conversation's newest texts into the loaded ones. Adds new ones only if this leaves no gap. */
export function joinNewest(old: Stretch, newest: readonly Message[]): Stretch {
  const known = new Set(old.texts.map(({ id }) => id))
  const joins = newest.length < STEP || newest.some(({ id }) => known.has(id))
  const fresh = newest.filter(({ id }) => known.has(id) || (joins && !old.hasNewer))
  const all = new Map(old.texts.map((text) => [text.id, text]))
  // a slow read may be older than an event
  for (const text of fresh)
    if (!(text.updated < (all.get(text.id)?.updated ?? ''))) all.set(text.id, text)
  return {
    ...old,
    texts: [...all.values()].sort(compareNewestFirst),
    hasNewer: old.hasNewer || !joins,
  }
}

export function lengthenStretch(
  old: Stretch,
  side: 'older' | 'newer',
  found: readonly Message[],
): Stretch {
  const isEnd = found.length < STEP
  if (side === 'older') {
    const texts = [...old.texts, ...found]
    return {
      texts: texts.slice(-MOST),
      hasOlder: !isEnd,
      hasNewer: old.hasNewer || texts.length > MOST,
    }
  }
  const texts = [...found.toReversed(), ...old.texts]
  return {
    texts: texts.slice(0, MOST),
    hasNewer: !isEnd,
    hasOlder: old.hasOlder || texts.length > MOST,
  }
}
