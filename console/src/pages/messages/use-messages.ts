import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { type Fault, faultOf } from '../../data/fault.ts'
import type { Message } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { useLive } from '../../data/use/use-live.ts'
import { NEWEST_FIRST } from './question.ts'

const PER_PAGE = 50
/**
 * Many changes are one read. A read that takes long lets others wait longer: the database is not ours alone.
 */
const CALM_MS = 400
const CALM_TIMES = 5

/** A page of messages that stays true. */
export interface Messages {
  readonly items: readonly Message[]
  readonly page: number
  readonly pages: number
  /** Undefined until it is counted, which may take longer than the page. */
  readonly total: number | undefined
  /** Nothing has been read yet. */
  readonly loading: boolean
  /** What is shown answers an older question. */
  readonly isOld: boolean
  readonly fault: Fault | undefined
  /** How many more there are than when a page that is not the first was read: that page stays as it is. */
  readonly fresh: number
}

interface Shown {
  readonly question: string
  readonly page: number
  readonly items: readonly Message[]
}

/**
 * Messages that a filter finds; nothing is read before it is known. The total is counted after the page is
 * shown; the first page's is remembered for the others, which need not count again. A changed message changes
 * where it stands; the first page is then read again, on the others `fresh` tells of new ones.
 */
export function useMessages(filter: string | undefined, sort: string, page: number): Messages {
  const question = JSON.stringify([filter, sort])
  const [shown, setShown] = useState<Shown>()
  const [fault, setFault] = useState<{ question: string; fault: Fault }>()
  const [count, setCount] = useState({ question: '', total: 0 })
  const [fresh, setFresh] = useState(0)
  const turn = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const tookMs = useRef(0)

  const read = useCallback(async () => {
    if (filter === undefined) return
    const mine = ++turn.current
    const isCounted = page > 1 && count.question === question
    const began = performance.now()
    try {
      const found = await list(filter, sort, page)
      if (mine !== turn.current) return
      setShown({ question, page, items: found.items })
      setFault(undefined)
      if (page === 1) setFresh(0)
      if (!isCounted) {
        const total = await countOf(filter)
        if (mine === turn.current) setCount({ question, total })
      }
      tookMs.current = performance.now() - began
    } catch (error) {
      if (mine === turn.current) setFault({ question, fault: faultOf(error) })
    }
  }, [question, page, count.question === question])

  const look = async () => {
    if (page === 1 || filter === undefined) return read()
    const total = await countOf(filter).catch(() => undefined)
    if (total !== undefined && count.question === question) setFresh(Math.max(0, total - count.total))
  }
  const latest = useRef(look)
  latest.current = look
  const soon = () => {
    timer.current ??= setTimeout(
      () => {
        timer.current = null
        void latest.current()
      },
      Math.max(CALM_MS, CALM_TIMES * tookMs.current),
    )
  }

  useEffect(() => {
    setFresh(0)
  }, [question])
  // what a question that was left is answered counts no more, even if the one before it is shown already
  useEffect(() => () => void turn.current++, [question, page])
  useEffect(() => {
    if (shown?.question === question && shown.page === page && count.question === question) return
    void read()
  }, [read])
  useEffect(() => () => clearTimeout(timer.current ?? undefined), [])
  useLive<Message>(
    'sms_messages',
    '*',
    ({ action, record }) => {
      if (action === 'update') setShown((old) => old && { ...old, items: put(old.items, record) })
      soon()
    },
    soon,
  )

  const told = fault?.question === question ? fault.fault : undefined
  const total = count.question === question ? count.total : undefined
  const atLeast = page * PER_PAGE + (shown?.items.length === PER_PAGE ? 1 : 0)
  return {
    items: shown?.items ?? [],
    page,
    pages: Math.max(1, Math.ceil((total ?? atLeast) / PER_PAGE)),
    total,
    loading: shown === undefined && !told,
    isOld: shown !== undefined && !told && (shown.question !== question || shown.page !== page),
    fault: told,
    fresh: page > 1 ? fresh : 0,
  }
}

function list(filter: string, sort: string, page: number) {
  const isAll = session.value?.role === 'superuser'
  const asked = {
    filter,
    sort: sort || NEWEST_FIRST,
    expand: isAll ? 'device,user' : 'device',
    skipTotal: true,
  }
  return pb.collection<Message>('sms_messages').getList(page, PER_PAGE, asked)
}

async function countOf(filter: string): Promise<number> {
  const { totalItems } = await pb.collection('sms_messages').getList(1, 1, { filter, fields: 'id' })
  return totalItems
}

/** Replaces a changed message. Events have no `expand`: it is kept unless the device changed. */
function put(items: readonly Message[], record: Message): readonly Message[] {
  return items.map((item) => {
    if (item.id !== record.id) return item
    const isSame = item.device === record.device
    return isSame && item.expand ? { ...record, expand: item.expand } : record
  })
}
