import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { countRecords, pb } from '../../data/client.ts'
import { type Fault, readFaultOfRead } from '../../data/fault.ts'
import type { Message } from '../../data/record-types.ts'
import { isUser } from '../../data/session.ts'
import { holdRows } from '../../data/use/hold-rows.ts'
import { keepUnchanged } from '../../data/use/keep-unchanged.ts'
import { findKeptList, keepList } from '../../data/use/last-lists.ts'
import { useCalm } from '../../data/use/use-calm.ts'
import { useLatest } from '../../data/use/use-latest.ts'
import { useLive } from '../../data/use/use-live.ts'
import { usePersonAt } from '../../data/use/use-person-at.ts'
import { useReadAgain } from '../../data/use/use-read-again.ts'
import { MOST_ROWS, useRows } from '../../data/use/use-rows.ts'
import { NEWEST_FIRST } from './question.ts'

const FIRST_ROWS = 50
/**
 * Changes within this time cause only one read. After a slow read, the time is CALM_TIMES times the duration
 * of that read, to spare the database.
 */
const CALM_MS = 400
const CALM_TIMES = 5

export interface Messages {
  readonly items: readonly Message[]
  readonly page: number
  readonly pages: number
  /** Reads more messages below those that are shown; undefined if there are none, or while they are read. */
  readonly grow: (() => void) | undefined
  /** Undefined until it is counted, which may take longer than reading the page. */
  readonly total: number | undefined
  readonly loading: boolean
  /** Whether `items` are still those of the previous query or page. */
  readonly isOld: boolean
  readonly fault: Fault | undefined
  /** New messages that are not shown: since a later page was read, or while a person is at the first. */
  readonly fresh: number
  /** Reads page 1 again, and shows all its messages at once. */
  showFresh(): void
}

const NOTHING: readonly Message[] = []
const TABLE = '.messages-table'

interface Shown {
  readonly question: string
  readonly page: number
  readonly rows: number
  /** Whether there were as many messages as asked for, so that there may be more. */
  readonly isFull: boolean
  readonly items: readonly Message[]
}

/**
 * The messages that a filter finds, and more of them when the list grows; reads nothing while `filter` is
 * undefined. Counts the total after a page is shown, and keeps it for the other pages. Replaces a changed
 * message in its place. After changes, page 1 is read again, but its rows do not move while a person is at
 * the table: new messages wait, counted as `fresh`. Other pages only count new messages.
 */
export function useMessages(filter: string | undefined, sort: string, page: number): Messages {
  const question = JSON.stringify([filter, sort])
  const [rows, grow] = useRows(question, FIRST_ROWS, page)
  const [shown, setShown] = useState<Shown>()
  const [fault, setFault] = useState<{ question: string; fault: Fault }>()
  const [count, setCount] = useState({ question: '', total: 0 })
  const [fresh, setFresh] = useState(0)
  const latest = useRef(shown)
  latest.current = shown
  const isAt = usePersonAt(TABLE, page === 1 && fresh > 0, () => void read())
  /** Whether the next read may move rows, because the person asked for it. */
  const isAsked = useRef(false)
  const begin = useLatest()
  const tookMs = useRef(0)

  const read = useCallback(async () => {
    if (filter === undefined) return
    const isLatest = begin()
    const isCounted = page > 1 && count.question === question
    const began = performance.now()
    try {
      const found = await listMessages(filter, sort, page, rows)
      if (!isLatest()) return
      const isFull = found.items.length === rows
      const now = { question, page, rows, isFull, items: found.items }
      const old = latest.current
      const isSame = old?.question === question && old.page === page
      const isHeld = isSame && page === 1 && !isAsked.current && isAt()
      const held = isHeld ? holdRows(old.items, found.items) : undefined
      const items = held ? held.rows : found.items
      setShown({ ...now, items: keepUnchanged(old?.items ?? [], items) })
      keepList(question + page, now)
      setFault(undefined)
      isAsked.current = false
      if (page === 1) setFresh(held?.waiting ?? 0)
      if (!isCounted) {
        const total = await countRecords('sms_messages', filter)
        if (isLatest()) setCount({ question, total })
      }
      tookMs.current = performance.now() - began
    } catch (error) {
      if (!isLatest()) return
      const fault = readFaultOfRead(error)
      if (fault.status === 0 || fault.isInBanner)
        setShown((old) => old ?? findKeptList(question + page))
      setFault({ question, fault })
    }
  }, [question, page, rows, count.question === question])
  useReadAgain(fault?.fault.isInBanner === true, read)

  const look = async () => {
    if (page === 1 || filter === undefined) return read()
    const total = await countRecords('sms_messages', filter).catch(() => undefined)
    if (total !== undefined && count.question === question)
      setFresh(Math.max(0, total - count.total))
  }
  const soon = useCalm(look, () => Math.max(CALM_MS, CALM_TIMES * tookMs.current))

  useEffect(() => {
    setFresh(0)
  }, [question])
  // when the query or page changes, drop answers to earlier requests, even if no new request is needed
  useLayoutEffect(() => () => void begin(), [question, page, rows])
  useEffect(() => {
    const isShown = shown?.question === question && shown.page === page && shown.rows === rows
    if (isShown && count.question === question) return
    void read()
  }, [read])
  useLive<Message>(
    'sms_messages',
    '*',
    ({ action, record }) => {
      if (action !== 'create')
        setShown((old) => old && { ...old, items: changeMessage(old.items, record, action) })
      soon()
    },
    soon,
  )

  const told = fault?.question === question ? fault.fault : undefined
  const total = count.question === question ? count.total : undefined
  const isFull = shown?.question === question && shown.rows === rows && shown.isFull
  const atLeast = page * MOST_ROWS + (isFull ? 1 : 0)
  return {
    items: shown?.items ?? NOTHING,
    page,
    pages: grow ? 1 : Math.max(1, Math.ceil((total ?? atLeast) / MOST_ROWS)),
    grow: isFull && (total ?? atLeast) > rows ? grow : undefined,
    total,
    loading: shown === undefined && !told,
    isOld: shown !== undefined && !told && (shown.question !== question || shown.page !== page),
    fault: told,
    fresh,
    showFresh: () => {
      isAsked.current = true
      void read()
    },
  }
}

function listMessages(filter: string, sort: string, page: number, rows: number) {
  const isAll = !isUser()
  const asked = {
    filter,
    sort: sort || NEWEST_FIRST,
    expand: isAll ? 'device,user' : 'device,sent_by',
    skipTotal: true,
  }
  return pb.collection<Message>('sms_messages').getList(page, rows, asked)
}

const changeMessage = (items: readonly Message[], record: Message, action: string) =>
  action === 'delete' ? items.filter(({ id }) => id !== record.id) : replaceMessage(items, record)

/** Replaces a changed message. Events have no `expand`: keeps the old `expand` if the device is the same. */
function replaceMessage(items: readonly Message[], record: Message): readonly Message[] {
  return items.map((item) => {
    if (item.id !== record.id) return item
    const isSame = item.device === record.device
    return isSame && item.expand ? { ...record, expand: item.expand } : record
  })
}
