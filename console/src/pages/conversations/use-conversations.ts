import { useEffect, useRef } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { conversationFilter } from '../../data/phone/contact-filter.ts'
import { defaultCountry } from '../../data/phone/country.ts'
import type { Conversation, Message } from '../../data/records.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useLater } from '../../data/use/use-later.ts'
import { type List, useList } from '../../data/use/use-list.ts'
import { useLive } from '../../data/use/use-live.ts'
import { formatNumber } from '../../language/words.ts'
import { VIEWS, type View } from './views.ts'

const PER_PAGE = 50
/** The shortest search, in characters: fewer are in nearly every text. */
const MIN_SEARCH = 3
const OLDER = 10

export interface Conversations {
  readonly list: List<Conversation>
  /** Further texts with the search words, beside the last texts of the conversations found. */
  readonly older: readonly Message[]
}

/** A page of conversations, live, the newest first; a search looks through the archive, too. */
export function useConversations(view: View, words: string): Conversations {
  const asked = useLater(words.trim())
  const found = `(${conversationFilter(asked, defaultCountry.value)})`
  const { filter: inView, sort = '-last_at' } = VIEWS[view]
  const filter = asked === '' ? inView() : view === 'all' ? found : `${inView()} && ${found}`
  const list = useList<Conversation>('conversations', { filter, sort, perPage: PER_PAGE })
  const isLong = asked.length >= MIN_SEARCH
  const texts = useList<Message>('sms_messages', {
    filter: pb.filter('body ~ {:asked}', { asked }),
    fields: 'id,to,from,body,message_type,created',
    perPage: OLDER,
    live: false,
    ready: isLong,
  })
  const last = new Set(list.items.map(({ last_message }) => last_message))
  return { list, older: isLong ? texts.items.filter(({ id }) => !last.has(id)) : [] }
}

/** The other side's number. */
export const numberOf = ({ message_type, from, to }: Message): string =>
  message_type === 'incoming' ? from : to

/** Changes within this time cause one request. */
const CALM_MS = 600
/** The highest number shown: the server counts to one more at most. */
const MAX_COUNT = 999

/** How many conversations each view has, live, in words; '' until it is known. */
export function useCounts(): (view: View) => string {
  const { value, reload } = useAnswer<Readonly<Record<View, number>>>('/api/account/inbox')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const soon = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void reload()
    }, CALM_MS)
  }
  useLive<Conversation>('conversations', '*', soon, soon)
  useEffect(() => () => clearTimeout(timer.current), [])
  return (view) => {
    const count = value?.[view]
    if (count === undefined) return ''
    return count > MAX_COUNT ? `${formatNumber(MAX_COUNT)}+` : formatNumber(count)
  }
}
