import { pb } from '../client.ts'
import type { Note } from '../record-types.ts'
import { rememberSignal } from '../remembered.ts'
import { session } from '../session.ts'
import { useList } from '../use/use-list.ts'

/** When each person last opened the view Mentions in this browser, by the person's id. */
const mentionsSeen = rememberSignal<Readonly<Record<string, string>>>('mentions-seen', {})

export function markMentionsSeen(): void {
  const at = new Date().toISOString().replace('T', ' ')
  mentionsSeen.value = { ...mentionsSeen.value, [session.value?.sender ?? '']: at }
}

/** How many notes mention this person since they last opened the view Mentions. */
export function useNewMentions(): number {
  const sender = session.value?.sender ?? ''
  const { total } = useList<Note>('conversation_notes', {
    filter: pb.filter('mentions ?~ {:sender} && author != {:sender} && created > {:at}', {
      sender,
      at: mentionsSeen.value[sender] ?? '',
    }),
    perPage: 1,
    fields: 'id',
  })
  return total
}
