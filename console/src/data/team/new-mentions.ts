import { pb } from '../client.ts'
import type { Note } from '../record-types.ts'
import { rememberSignal } from '../remembered.ts'
import { session } from '../session.ts'
import { useList } from '../use/use-list.ts'

/** When each person last opened the view Mentions in this browser, by the person's id. */
const mentionsSeen = rememberSignal<Readonly<Record<string, string>>>('mentions-seen', {})

/** The newest seen note of conversations that the person opened since then, by person and conversation. */
const notesSeen = rememberSignal<Readonly<Record<string, string>>>('mentions-seen-notes', {})

const makeKey = (conversation: string) => `${session.value?.sender ?? ''} ${conversation}`

export function markMentionsSeen(): void {
  const at = new Date().toISOString().replace('T', ' ')
  mentionsSeen.value = { ...mentionsSeen.value, [session.value?.sender ?? '']: at }
  notesSeen.value = {}
}

/** Notes that the person has seen a conversation with its notes up to this time, in PocketBase's format. */
export function markNotesSeen(conversation: string, created: string): void {
  const key = makeKey(conversation)
  if ((notesSeen.value[key] ?? '') < created)
    notesSeen.value = { ...notesSeen.value, [key]: created }
}

/** More new mentions than these are not counted. */
const MOST_COUNTED = 99

/** How many notes mention this person since they last opened the view Mentions, or the conversation. */
export function useNewMentions(): number {
  const sender = session.value?.sender ?? ''
  const { items } = useList<Note>('conversation_notes', {
    filter: pb.filter('mentions ?~ {:sender} && author != {:sender} && created > {:at}', {
      sender,
      at: mentionsSeen.value[sender] ?? '',
    }),
    sort: '-created',
    perPage: MOST_COUNTED,
    fields: 'id,conversation,created',
  })
  return items.filter(
    ({ conversation, created }) => created > (notesSeen.value[makeKey(conversation)] ?? ''),
  ).length
}
