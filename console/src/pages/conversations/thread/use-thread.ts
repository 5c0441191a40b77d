import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { pb } from '../../../data/client.ts'
import { type Fault, faultOf } from '../../../data/fault.ts'
import type { Conversation, Message } from '../../../data/records.ts'
import { useLater } from '../../../data/use/use-later.ts'
import { useLive } from '../../../data/use/use-live.ts'

/** Texts per request: few enough to be added without a visible delay. */
const STEP = 30
/**
 * Loading more texts at one end keeps at most this many: those at the other end are dropped, and loaded again
 * when needed.
 */
const MOST = 90

/** A gapless part of a conversation. */
interface Stretch {
  /** Newest first. */
  readonly texts: readonly Message[]
  readonly hasOlder: boolean
  readonly hasNewer: boolean
}

export interface ThreadTexts extends Stretch {
  readonly loading: boolean
  readonly fault: Fault | undefined
  older(): void
  newer(): void
  toEnd(): void
  /** Reads the newest texts again. */
  catchUp(): void
}

/** Sort keys. Texts that a device reported together have the same `created`, so `delivered_at` is next. */
const KEYS = ['created', 'delivered_at', 'id'] as const
type Edge = Pick<Message, (typeof KEYS)[number]>

const TEXTS = 'sms_messages'
const EXPAND: Readonly<Record<string, object>> = { [TEXTS]: { expand: 'device,sent_by' } }

/** Reads up to STEP texts just older or newer than `edge`; without `edge`, 'older' reads the newest ones. */
async function read(number: string, side: 'older' | 'newer', edge?: Edge): Promise<Message[]> {
  const [sign, sort] =
    side === 'older' ? ['<', '-created,-delivered_at,-id'] : ['>', 'created,delivered_at,id']
  const beyond = KEYS.map((key, i) =>
    [...KEYS.slice(0, i).map((same) => `${same} = {:${same}}`), `${key} ${sign} {:${key}}`].join(' && '),
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

async function readEnd(number: string): Promise<Stretch> {
  return endOf(await read(number, 'older'))
}

const endOf = (newest: readonly Message[]): Stretch => ({
  texts: newest,
  hasOlder: newest.length === STEP,
  hasNewer: false,
})

/**
 * The texts around a text or note (`sms_messages/ID` or `conversation_notes/ID`). If there is no such text
 * or note, the newest texts.
 */
async function readAround(number: string, at: string): Promise<Stretch> {
  const [collection = '', id = ''] = at.split('/')
  const found =
    id &&
    (await pb
      .collection<Message>(collection)
      .getOne(id, EXPAND[collection])
      .catch(() => undefined))
  if (!found) return readEnd(number)
  const [older, newer] = await Promise.all([read(number, 'older', found), read(number, 'newer', found)])
  return {
    texts: [...newer.reverse(), ...(collection === TEXTS ? [found] : []), ...older],
    hasOlder: older.length === STEP,
    hasNewer: newer.length === STEP,
  }
}

const keyOf = (edge: Edge) => KEYS.map((key) => edge[key]).join()
const newestFirst = (a: Edge, b: Edge) => (keyOf(a) < keyOf(b) ? 1 : -1)

/** Merges the conversation's newest texts into the loaded ones. Adds new ones only if this leaves no gap. */
function joined(old: Stretch, newest: readonly Message[]): Stretch {
  const known = new Set(old.texts.map(({ id }) => id))
  const joins = newest.length < STEP || newest.some(({ id }) => known.has(id))
  const fresh = newest.filter(({ id }) => known.has(id) || (joins && !old.hasNewer))
  const all = new Map(old.texts.map((text) => [text.id, text]))
  // a slow read may be older than an event
  for (const text of fresh) if (!(text.updated < (all.get(text.id)?.updated ?? ''))) all.set(text.id, text)
  return { ...old, texts: [...all.values()].sort(newestFirst), hasNewer: old.hasNewer || !joins }
}

/** The texts of a conversation, updated live. Begins with the newest texts, or with those around `at`. */
export function useThread(number: string, at: string): ThreadTexts {
  const [stretch, setStretch] = useState<Stretch>()
  const [fault, setFault] = useState<Fault>()
  const [changes, setChanges] = useState(0)
  const turn = useRef(0)
  const isReading = useRef(false)

  /** Calls `put` with the answer to a request, unless a later request began or `number` or `at` changed. */
  const run = useCallback(async <T>(ask: () => Promise<T>, put: (found: T) => void) => {
    const mine = ++turn.current
    isReading.current = true
    try {
      const found = await ask()
      if (mine !== turn.current) return
      put(found)
      setFault(undefined)
    } catch (error) {
      if (mine === turn.current) setFault(faultOf(error))
    }
    if (mine === turn.current) isReading.current = false
  }, [])
  useEffect(() => {
    // a slow first read must not take away the texts that a later one has found
    const put = (found: Stretch) =>
      setStretch((old) => (old ? joined(found, old.texts.slice(0, STEP)) : found))
    void run(() => readAround(number, at), put)
    return () => void turn.current++
  }, [number, at])

  const settled = useLater(changes)
  useEffect(() => {
    if (settled === 0) return
    let isLeft = false
    read(number, 'older').then(
      (newest) => {
        if (isLeft) return
        setStretch((old) => (old ? joined(old, newest) : endOf(newest)))
        setFault(undefined)
      },
      (error) => !isLeft && setFault(faultOf(error)),
    )
    return () => {
      isLeft = true
    }
  }, [settled, number])
  const catchUp = () => setChanges((count) => count + 1)
  useLive<Message>(
    TEXTS,
    '*',
    ({ action, record }) => {
      if (record.from !== number && record.to !== number) return
      setStretch((old) => old && { ...old, texts: changed(old.texts, action, record) })
      catchUp()
    },
    catchUp,
  )

  const more = (side: 'older' | 'newer') => {
    const { texts = [], hasOlder, hasNewer } = stretch ?? {}
    const edge = side === 'older' ? texts.at(-1) : texts[0]
    if (!edge || isReading.current || !(side === 'older' ? hasOlder : hasNewer)) return
    void run(
      () => read(number, side, edge),
      (found) => setStretch((old) => old && longer(old, side, found)),
    )
  }
  return {
    texts: stretch?.texts ?? [],
    hasOlder: stretch?.hasOlder ?? false,
    hasNewer: stretch?.hasNewer ?? false,
    loading: !stretch && !fault,
    fault,
    older: () => more('older'),
    newer: () => more('newer'),
    catchUp,
    toEnd: () => void (stretch?.hasNewer && run(() => readEnd(number), setStretch)),
  }
}

/** Applies a realtime event. Events have no `expand`: a changed text keeps the `expand` it had. */
const changed = (all: readonly Message[], action: string, record: Message) =>
  action === 'delete'
    ? all.filter(({ id }) => id !== record.id)
    : all.map((text) => (text.id === record.id ? ({ ...record, expand: text.expand } as Message) : text))

function longer(old: Stretch, side: 'older' | 'newer', found: readonly Message[]): Stretch {
  const isEnd = found.length < STEP
  if (side === 'older') {
    const texts = [...old.texts, ...found]
    return { texts: texts.slice(-MOST), hasOlder: !isEnd, hasNewer: old.hasNewer || texts.length > MOST }
  }
  const texts = [...found.toReversed(), ...old.texts]
  return { texts: texts.slice(0, MOST), hasNewer: !isEnd, hasOlder: old.hasOlder || texts.length > MOST }
}

/** Marks an unread conversation as read: now if the page is visible, else when it becomes visible. */
export function useRead(conversation: Conversation | undefined): void {
  const id = conversation?.id
  const unread = conversation?.unread ?? 0
  useEffect(() => {
    if (!id || unread === 0) return
    const read = () => {
      if (document.visibilityState !== 'visible') return
      // after a failure, this runs again at the next incoming text or when the page becomes visible again
      pb.collection('conversations')
        .update(id, { unread: 0 })
        .catch(() => {})
    }
    read()
    document.addEventListener('visibilitychange', read)
    return () => document.removeEventListener('visibilitychange', read)
  }, [id, unread])
}
