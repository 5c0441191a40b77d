import { useEffect, useRef } from 'preact/hooks'
import { cutToCharacters } from '#portable/cut-text.ts'
import { pb } from '../data/client.ts'
import { hasFailed } from '../data/has-failed.ts'
import type { Conversation, Note } from '../data/record-types.ts'
import type { Session } from '../data/session.ts'
import { readCancelers } from '../data/team/cancelers.ts'
import { useNewMentions } from '../data/team/new-mentions.ts'
import { isColleague } from '../data/team/people.ts'
import { mentioned } from '../data/unread.ts'
import { useLive } from '../data/use/use-live.ts'
import { t } from '../language/words.ts'
import { showToast, showToastLink } from '../parts/toast.tsx'
import { makeConversationPath, makePageHref, place } from '../router.ts'

const MAX_TEXT = 80
const MOST_FAILED = 200

const makeFailureKey = ({ id, failure, last_message }: Conversation) =>
  `${id} ${failure} ${last_message}`

/**
 * On any page, tells the person of conversations assigned to them, of notes that mention them, of texts of
 * theirs that a colleague canceled, and of failed texts that they wrote, or of their conversations.
 */
export function TeamNews({ session: { sender } }: { session: Session }) {
  /** When a conversation was last assigned to this person before the subscription; undefined until read. */
  const begun = useRef<string>(undefined)
  /** The assignments of this session, each a conversation's id and the time. */
  const told = useRef(new Set<string>())
  /** Each failure and cancellation that is known: a conversation's id, and what happened to which text. */
  const failed = useRef<Set<string>>(undefined)
  const readKnown = async () => {
    const read = (most: number, options: object) =>
      pb.collection<Conversation>('conversations').getList(1, most, { ...options, skipTotal: true })
    const filter = pb.filter('assignee = {:sender}', { sender })
    const last = await read(1, { filter, sort: '-assigned_at', fields: 'assigned_at' })
    begun.current = last.items[0]?.assigned_at ?? ''
    const { items } = await read(MOST_FAILED, { filter: 'failure != ""', sort: '-last_at' })
    failed.current = new Set([...(failed.current ?? []), ...items.map(makeFailureKey)])
  }
  useLive<Conversation>(
    'conversations',
    '*',
    ({ record }) => {
      const { id, assignee, assigned_at, last_sender, failure } = record
      if (failure !== '' && failed.current && !failed.current.has(makeFailureKey(record))) {
        failed.current.add(makeFailureKey(record))
        if (hasFailed(record) && [last_sender, assignee].includes(sender))
          showTeamNews(record, (name) => t('A text to {name} has failed', { name }))
        if (!hasFailed(record) && last_sender === sender)
          void showCancelNews(record).catch(() => {}) // the conversation shows it, too
      }
      const assignment = `${id} ${assigned_at}`
      const isOld = begun.current === undefined || assigned_at <= begun.current
      if (assignee !== sender || isOld || told.current.has(assignment)) return
      told.current.add(assignment)
      showTeamNews(record, (name) => t('{name} is assigned to you', { name }))
    },
    () => void readKnown().catch(() => {}), // the next reconnection reads again
  )
  useLive<Note>(
    'conversation_notes',
    '*',
    ({ action, record: { author, mentions, conversation, text } }) => {
      if (action !== 'create' || author === sender || !mentions.includes(sender)) return
      const short = cutToCharacters(text, MAX_TEXT)
      pb.collection<Conversation>('conversations')
        .getOne(conversation)
        .then((about) =>
          showTeamNews(about, (name) => t('Note about {name}: {text}', { name, text: short })),
        )
        .catch(() => {})
    },
    () => {},
  )
  const mentions = useNewMentions()
  useEffect(() => {
    mentioned.value = mentions
    return () => {
      mentioned.value = 0
    }
  }, [mentions])
  return null
}

/** Shows a message with a link to a conversation, unless that is open. */
function showTeamNews({ number, name }: Conversation, words: (name: string) => string): void {
  const path = makeConversationPath(number)
  if (place.value.path !== path) showToastLink(words(name || number), makePageHref(path))
}

/** Shows that a colleague has canceled the last text of a conversation. */
async function showCancelNews(conversation: Conversation): Promise<void> {
  const { number, last_message, last_text } = conversation
  const [[, canceler] = []] = await readCancelers([last_message])
  if (!canceler || !isColleague(canceler)) return
  const text = cutToCharacters(last_text, MAX_TEXT)
  const words = t('{name} has canceled your text: {text}', { name: canceler.name, text })
  const path = makeConversationPath(number)
  if (place.value.path === path) showToast(words)
  else showToastLink(words, makePageHref(path))
}
