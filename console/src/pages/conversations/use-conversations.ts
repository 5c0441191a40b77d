import { useMemo, useState } from 'preact/hooks'
import type { Fault } from '../../data/fault.ts'
import type { Message } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'

/** The newest text with a number. */
export interface Conversation {
  readonly number: string
  readonly last: Message
  /** When the newest text came in, '' if none did. */
  readonly heardAt: string
}

export interface Conversations {
  readonly items: readonly Conversation[]
  readonly loading: boolean
  readonly fault: Fault | undefined
  /** Looks further back; undefined when there is no more, or no more can be looked through here. */
  readonly more: (() => void) | undefined
}

/** Newest messages that are looked through, and at most: what one page of messages can hold. */
const STEP = 150
const MOST = 450
/** What comes in, and what was written to one number; not what went to many at once. */
const SPOKEN = 'message_type = "incoming" || batch_id = ""'

/** The other side's number. */
export const numberOf = ({ message_type, from, to }: Message): string =>
  message_type === 'incoming' ? from : to

/** The latest conversations, live. */
export function useConversations(): Conversations {
  const [perPage, setPerPage] = useState(STEP)
  const list = useList<Message>('sms_messages', {
    filter: SPOKEN,
    fields: 'id,to,from,body,message_type,status,created',
    perPage,
  })
  const items = useMemo(() => conversationsOf(list.items), [list.items])
  const isMore = list.total > perPage && perPage < MOST
  return {
    items,
    loading: list.loading,
    fault: list.fault,
    more: isMore ? () => setPerPage(Math.min(perPage + STEP, MOST)) : undefined,
  }
}

function conversationsOf(messages: readonly Message[]): Conversation[] {
  const found = new Map<string, Conversation>()
  for (const message of messages) {
    const number = numberOf(message)
    if (number === '') continue
    const known = found.get(number) ?? { number, last: message, heardAt: '' }
    const heardAt = known.heardAt || (message.message_type === 'incoming' ? message.created : '')
    found.set(number, { ...known, heardAt })
  }
  return [...found.values()]
}
