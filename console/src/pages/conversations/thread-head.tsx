import { useState } from 'preact/hooks'
import { E164 } from '../../../../src/sms/send/phone.ts'
import { pb } from '../../data/client.ts'
import type { Contact, Conversation } from '../../data/records.ts'
import { Button } from '../../parts/form/button.tsx'
import { Badge } from '../../parts/status.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { go } from '../../router.ts'
import { SaveContact } from './save-contact.tsx'

/** The number of a conversation, whether it has opted out, and what can be done with the conversation. */
export function ThreadHead({
  number,
  contact,
  isContactKnown,
  conversation,
}: {
  number: string
  contact: Contact | undefined
  /** False until `contact` was looked up. */
  isContactKnown: boolean
  conversation: Conversation | undefined
}) {
  const [isSaving, setSaving] = useState(false)
  const change = async (values: object, done: string) => {
    // first, or the open thread would mark it as read again
    go('/conversations')
    try {
      await pb.collection('conversations').update(conversation!.id, values)
      toast(done)
    } catch (error) {
      toastFault(error)
    }
  }
  const isArchived = conversation?.archived === true
  return (
    <header class="conversations-head">
      <span class="mono">{number}</span>
      {contact?.opted_out && <Badge tone="warn">Opted out</Badge>}
      <span class="conversations-actions">
        {isContactKnown && !contact?.name && E164.test(number) && (
          <Button icon="contacts" onClick={() => setSaving(true)}>
            Save as contact
          </Button>
        )}
        {conversation && (
          <>
            <Button onClick={() => void change({ unread: 1 }, 'Marked as unread')}>Mark unread</Button>
            <Button
              onClick={() =>
                void change({ archived: !isArchived }, isArchived ? 'Back in the list' : 'Archived')
              }
            >
              {isArchived ? 'Unarchive' : 'Archive'}
            </Button>
          </>
        )}
      </span>
      {isSaving && <SaveContact number={number} contact={contact} onClose={() => setSaving(false)} />}
    </header>
  )
}
