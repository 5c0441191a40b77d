import { useEffect, useRef } from 'preact/hooks'
import { pb } from '../data/client.ts'
import type { Conversation } from '../data/record-types.ts'
import type { Session } from '../data/session.ts'
import { useNewMentions } from '../data/team/new-mentions.ts'
import type { Note } from '../data/team/team.ts'
import { mentioned } from '../data/unread.ts'
import { useLive } from '../data/use/use-live.ts'
import { t } from '../language/words.ts'
import { toastLink } from '../parts/toast.tsx'
import { place, to } from '../router.ts'

/** With this many conversations assigned to the person, new ones are not announced. */
const MOST = 500
const MAX_TEXT = 80

/** On any page, tells the person of conversations assigned to them and of notes that mention them. */
export function TeamNews({ session: { sender } }: { session: Session }) {
  /** The ids of the conversations assigned to this person; undefined until read. */
  const mine = useRef<Set<string>>(undefined)
  const readMine = async () => {
    const filter = pb.filter('archived = false && blocked = false && assignee = {:sender}', { sender })
    const options = { filter, sort: '-last_at', fields: 'id', skipTotal: true }
    const { items } = await pb.collection('conversations').getList(1, MOST, options)
    mine.current = new Set(items.map(({ id }) => id))
  }
  useLive<Conversation>(
    'conversations',
    '*',
    ({ record }) => {
      const all = mine.current
      if (!all) return
      const isNew = record.assignee === sender && !all.has(record.id) && all.size < MOST
      if (record.assignee === sender) all.add(record.id)
      else all.delete(record.id)
      if (isNew) tell(record, (name) => t('{name} is assigned to you', { name }))
    },
    () => void readMine().catch(() => {}), // the next reconnection reads again
  )
  useLive<Note>(
    'conversation_notes',
    '*',
    ({ action, record: { author, mentions, conversation, text } }) => {
      if (action !== 'create' || author === sender || !mentions.includes(sender)) return
      const short = [...text].slice(0, MAX_TEXT).join('')
      pb.collection<Conversation>('conversations')
        .getOne(conversation)
        .then((about) => tell(about, (name) => t('Note about {name}: {text}', { name, text: short })))
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
function tell({ number, name }: Conversation, words: (name: string) => string): void {
  const path = `/conversations/${encodeURIComponent(number)}`
  if (place.value.path !== path) toastLink(words(name || number), to(path))
}
