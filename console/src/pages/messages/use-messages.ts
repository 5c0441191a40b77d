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
  readonly total: number
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
 * Messages that a filter finds. The total is counted with the first page and remembered for the others, which
 * need not count again. A changed message changes where it stands; the first page is then read again, on the
 * others `fresh` tells of new ones.
 */
export function useMessages(filter: string, sort: string, page: number): Messages {
  const question = JSON.stringify([filter, sort])
  const [shown, setShown] = useState<Shown>()
  const [fault, setFault] = useState<{ question: string; fault: Fault }>()
  const [count, setCount] = useState({ question: '', total: 0 })
  const [fresh, setFresh] = useState(0)
  const turn = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const tookMs = useRef(0)

  const read = useCallback(async () => {
    const mine = ++turn.current
    const isCounted = page > 1 && count.question === question
    const began = performance.now()
    try {
      const found = await list(filter, sort, page, isCounted)
      if (mine !== turn.current) return
      tookMs.current = performance.now() - began
      if (!isCounted) setCount({ question, total: found.totalItems })
      setShown({ question, page, items: found.items })
      setFault(undefined)
      if (page === 1) setFresh(0)
    } catch (error) {
      if (mine === turn.current) setFault({ question, fault: faultOf(error) })
    }
  }, [question, page, count.question === question])

  const look = async () => {
    if (page === 1) return read()
    const found = await pb
      .collection('sms_messages')
      .getList(1, 1, { filter, fields: 'id' })
      .catch(() => undefined)
    if (found && count.question === question) setFresh(Math.max(0, found.totalItems - count.total))
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
  useEffect(() => {
    if (shown?.question === question && shown.page === page) return
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
  const total = count.total
  return {
    items: shown?.items ?? [],
    page,
    pages: Math.max(1, Math.ceil(total / PER_PAGE)),
    total,
    loading: shown === undefined && !told,
    isOld: shown !== undefined && !told && (shown.question !== question || shown.page !== page),
    fault: told,
    fresh: page > 1 ? fresh : 0,
  }
}

/** All users' messages have no index on `created`; the order of storing is the same. */
function list(filter: string, sort: string, page: number, skipTotal: boolean) {
  const isAll = session.value?.role === 'superuser'
  const asked = {
    filter,
    sort: isAll ? sort.replace(/\bcreated$/, '@rowid') : sort || NEWEST_FIRST,
    expand: isAll ? 'device,user' : 'device',
    skipTotal,
  }
  return pb.collection<Message>('sms_messages').getList(page, PER_PAGE, asked)
}

/** A message as it is told has no device and user with it: those shown are kept while they are the same. */
function put(items: readonly Message[], record: Message): readonly Message[] {
  return items.map((item) => {
    if (item.id !== record.id) return item
    const isSame = item.device === record.device
    return isSame && item.expand ? { ...record, expand: item.expand } : record
  })
}
