import { formatPhone } from '#portable/phone/format-phone.ts'
import { pb } from '../../data/client.ts'
import { nameConversationFile, writeConversation } from '../../data/files/conversation-text.ts'
import { saveFile } from '../../data/files/save-file.ts'
import type { Message, Note } from '../../data/record-types.ts'
import { readTime } from '../../data/text/message-time.ts'
import { chooseShownState, readState } from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'

const AT_ONCE = 500
const LEFT: readonly string[] = ['sent', 'delivered', 'received']

type Signed<T> = T & { readonly expand?: Readonly<Record<string, { readonly name: string }>> }

/** Saves all texts and notes of a conversation as a text file. `name`: of the contact, or ''. */
export async function saveConversation(
  number: string,
  name: string,
  conversation: string | undefined,
): Promise<void> {
  const texts = await pb.collection<Signed<Message>>('sms_messages').getFullList({
    batch: AT_ONCE,
    filter: pb.filter(
      '(message_type = "incoming" && from = {:number}) || (message_type = "outgoing" && to = {:number})',
      { number },
    ),
    sort: 'created,delivered_at,id',
    expand: 'sent_by',
  })
  const notes = conversation
    ? await pb.collection<Signed<Note>>('conversation_notes').getFullList({
        batch: AT_ONCE,
        filter: pb.filter('conversation = {:conversation}', { conversation }),
        expand: 'author',
      })
    : []
  const who = name || formatPhone(number)
  const title = name ? `${name}, ${formatPhone(number)}` : formatPhone(number)
  const lines = [
    ...texts.map((text) => ({
      at: readTime(text),
      who: text.message_type === 'incoming' ? who : text.expand?.sent_by?.name || t('You'),
      text: text.body,
      files: text.attachments.length,
      state: LEFT.includes(chooseShownState(text)) ? '' : readState(text)[1],
    })),
    ...notes.map((note) => ({
      at: note.created,
      who: t('Note by {name}', { name: note.expand?.author?.name ?? '' }),
      text: note.text,
      files: 0,
      state: '',
    })),
  ]
  const content = writeConversation(t('Conversation with {name}', { name: title }), lines)
  saveFile(nameConversationFile(who), new Blob([content], { type: 'text/plain;charset=utf-8' }))
}
