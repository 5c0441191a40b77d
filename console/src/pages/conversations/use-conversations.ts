import { pb } from '../../data/client.ts'
import { defaultCountry } from '../../data/phone/default-country.ts'
import {
  type Conversation,
  findOtherNumber,
  type Message,
  type Note,
} from '../../data/record-types.ts'
import { writeConversationFilter, writeTextFilter } from '../../data/search/filters.ts'
import { useNamed } from '../../data/search/use-named.ts'
import { canFindTexts, splitWords, writeWordsFilter } from '../../data/search/words.ts'
import { session } from '../../data/session.ts'
import { mentioned } from '../../data/unread.ts'
import { useDebounced } from '../../data/use/use-debounced.ts'
import { type List, useList } from '../../data/use/use-list.ts'
import type { View } from './views.ts'

const PER_PAGE = 30
const MENTIONS_PER_PAGE = 50
const OLDER = 10

interface Conversations {
  readonly list: List<Conversation>
  readonly words: string
  readonly hits: readonly Hit[]
}

export interface Hit {
  /** The text or note to open the thread at, such as `sms_messages/ID`. */
  readonly at: string
  readonly number: string
  readonly text: string
  readonly time: string
  readonly isNote: boolean
  /** The name of a note's author. */
  readonly author?: string
}

/**
 * A page of a view's conversations, live. A search in the view All also finds archived and blocked ones.
 * `isKnown`: false while the view is not read, and nothing is listed.
 */
export function useConversations(view: View, words: string, isKnown: boolean): Conversations {
  const asked = useDebounced(words.trim())
  const found = `(${writeConversationFilter(asked, defaultCountry.value)})`
  const { id, filter: inView, sort = '-last_at' } = view
  const filter = asked === '' ? inView : id === 'all' ? found : `${inView} && ${found}`
  const list = useList<Conversation>('conversations', {
    filter,
    sort,
    perPage: PER_PAGE,
    ready: isKnown,
  })
  const isMentions = id === 'mentions'
  const isLong = canFindTexts(asked)
  const named = useNamed(isLong ? asked : '')
  const search = { perPage: OLDER, isCounted: false, live: false, ready: isLong && !isMentions }
  const me = session.value?.sender
  const texts = useList<Message>('sms_messages', {
    filter: writeTextFilter(asked, defaultCountry.value, named?.contacts),
    fields: 'id,to,from,body,message_type,created',
    ...search,
    ready: search.ready && named?.words === asked,
  })
  const notes = useList<
    Note & { expand?: { conversation?: Conversation; author?: { name: string } } }
  >('conversation_notes', {
    filter: [
      isMentions && pb.filter('mentions ?~ {:me}', { me }),
      writeWordsFilter(splitWords(asked), ['text']),
    ]
      .filter(Boolean)
      .join(' && '),
    expand: 'conversation,author',
    ...search,
    ...(isMentions && { perPage: MENTIONS_PER_PAGE, isCounted: true, live: true, ready: true }),
  })
  const last = new Set(list.items.map(({ last_message }) => last_message))
  const hits = [
    ...(isMentions || texts.loading ? [] : texts.items)
      .filter(({ id }) => !last.has(id))
      .map(makeHit),
    ...(!isMentions && notes.loading ? [] : notes.items).map(({ id, text, created, expand }) => ({
      at: `conversation_notes/${id}`,
      number: expand?.conversation?.number ?? '',
      text,
      author: expand?.author?.name ?? '',
      time: created,
      isNote: true,
    })),
  ].sort((a, b) => (a.time < b.time ? 1 : -1))
  const loading =
    list.loading || (search.ready && texts.loading) || ((isLong || isMentions) && notes.loading)
  // the view Mentions lists the notes, not the last texts of their conversations
  return {
    list: { ...list, ...(isMentions && { items: [], pages: 1, grow: notes.grow }), loading },
    words: asked,
    hits: isLong || isMentions ? hits : [],
  }
}

const makeHit = (message: Message): Hit => ({
  at: `sms_messages/${message.id}`,
  number: findOtherNumber(message),
  text: message.body,
  time: message.created,
  isNote: false,
})

/** Counts what is new for this person: unread conversations assigned to them, notes that mention them. */
export function useNews(ready: boolean): Readonly<Record<string, number>> {
  const sender = session.value?.sender ?? ''
  const mine = useList<Conversation>('conversations', {
    filter: pb.filter('archived = false && assignee = {:sender} && unread > 0', { sender }),
    sort: '-last_at',
    perPage: 1,
    fields: 'id',
    ready,
  })
  return ready ? { mine: mine.total, mentions: mentioned.value } : {}
}
