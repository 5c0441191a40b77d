import { pb } from '../../data/client.ts'
import { conversationFilter } from '../../data/phone/contact-filter.ts'
import { defaultCountry } from '../../data/phone/country.ts'
import type { Conversation, Message } from '../../data/records.ts'
import { useLater } from '../../data/use/use-later.ts'
import { type List, useList } from '../../data/use/use-list.ts'

/** Which conversations are shown, and what each filters by. */
export const SHOWN = {
  all: 'archived = false',
  unread: 'archived = false && unread > 0',
  unanswered: 'archived = false && unanswered = true',
  archived: 'archived = true',
} as const

export type Shown = keyof typeof SHOWN

const PER_PAGE = 50
/** Fewer characters are in nearly every text. */
const MIN_SEARCH = 3
const OLDER = 10

export interface Conversations {
  readonly list: List<Conversation>
  /** Texts with the words in them, beside the last ones of the conversations found. */
  readonly older: readonly Message[]
}

/** A page of conversations, live, the newest first; a search looks through the archive, too. */
export function useConversations(shown: Shown, words: string): Conversations {
  const asked = useLater(words.trim())
  const found = `(${conversationFilter(asked, defaultCountry.value)})`
  const filter = asked === '' ? SHOWN[shown] : shown === 'all' ? found : `${SHOWN[shown]} && ${found}`
  const list = useList<Conversation>('conversations', { filter, sort: '-last_at', perPage: PER_PAGE })
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
