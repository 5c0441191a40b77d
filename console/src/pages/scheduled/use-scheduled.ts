import { useCallback, useLayoutEffect, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { type Fault, readFaultOfRead } from '../../data/fault.ts'
import type { Campaign, Conversation, Message } from '../../data/record-types.ts'
import { useCalm } from '../../data/use/use-calm.ts'
import { useLatest } from '../../data/use/use-latest.ts'
import { useList } from '../../data/use/use-list.ts'
import { useLive } from '../../data/use/use-live.ts'
import { useReadAgain } from '../../data/use/use-read-again.ts'
import { makePeriodQuery, type Period } from './periods.ts'

/** A send whose texts wait for their time. The fields from `to` on are those of one of its texts. */
export interface ScheduledSend {
  readonly send: string
  readonly is_batch: boolean
  readonly scheduled_at: string
  readonly messages: number
  readonly message: string
  readonly to: string
  readonly body: string
  readonly attachments: number
  readonly expires_at: string
}

interface Page {
  readonly items: readonly ScheduledSend[]
  readonly next: string
}

interface Sends extends Page {
  readonly loading: boolean
  readonly fault: Fault | undefined
  /** Reads more sends; undefined if there are none. */
  readonly grow: (() => void) | undefined
}

const FIRST = 50
const MORE = 100
const MOST_AT_ONCE = 200
const CALM_MS = 600

/** The sends of a period, the earliest first, live. */
export function useScheduledSends({ from, until }: Period): Sends {
  const period = `${from}/${until}`
  const [size, setSize] = useState({ period, rows: FIRST })
  const rows = size.period === period ? size.rows : FIRST
  const [shown, setShown] = useState<Page & { readonly period: string }>()
  const [fault, setFault] = useState<Fault>()
  const begin = useLatest()
  const reload = useCallback(async () => {
    const isLatest = begin()
    try {
      const page = await readSends({ from, until }, rows)
      if (!isLatest()) return
      setShown({ ...page, period })
      setFault(undefined)
    } catch (error) {
      if (isLatest()) setFault(readFaultOfRead(error))
    }
  }, [period, rows])
  useLayoutEffect(() => {
    void reload()
    return () => void begin()
  }, [reload])
  const soon = useCalm(reload, () => CALM_MS)
  useLive<Message>('sms_messages', '*', soon, soon)
  useReadAgain(fault?.isInBanner === true, reload)
  const isShown = shown?.period === period
  return {
    items: isShown ? shown.items : [],
    next: isShown ? shown.next : '',
    loading: !isShown && !fault,
    fault,
    grow:
      isShown && shown.next !== '' && shown.items.length >= rows
        ? () => setSize({ period, rows: rows + MORE })
        : undefined,
  }
}

async function readSends(period: Period, rows: number): Promise<Page> {
  const items: ScheduledSend[] = []
  let next = ''
  do {
    const limit = Math.min(MOST_AT_ONCE, rows - items.length)
    const page = await pb.send<Page>('/api/sms/scheduled', {
      query: { ...makePeriodQuery(period), limit, ...(next && { after: next }) },
    })
    items.push(...page.items)
    next = page.next
  } while (next !== '' && items.length < rows)
  return { items, next }
}

const MOST_CAMPAIGNS = 500
const MOST_REMINDERS = 200

/** Campaigns that have not begun. */
export const useScheduledCampaigns = () =>
  useList<Campaign>('campaigns', {
    filter: '(status = "scheduled" || status = "repeating") && scheduled_at > @now',
    sort: 'scheduled_at,id',
    perPage: MOST_CAMPAIGNS,
  })

/** Conversations with a reminder that is not due yet. */
export const useReminders = () =>
  useList<Conversation>('conversations', {
    filter: 'follow_up_at > @now',
    sort: 'follow_up_at,id',
    perPage: MOST_REMINDERS,
  })
