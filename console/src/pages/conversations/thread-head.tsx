import { useState } from 'preact/hooks'
import { E164 } from '../../../../src/sms/send/phone.ts'
import { pb } from '../../data/client.ts'
import type { Contact, Conversation } from '../../data/records.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
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
      <PhoneNumber number={number} />
      {contact?.opted_out && <Badge tone="warn">{t('Opted out')}</Badge>}
      <span class="conversations-actions">
        {isContactKnown && !contact?.name && E164.test(number) && (
          <Button icon="contacts" onClick={() => setSaving(true)}>
            {t('Save as contact')}
          </Button>
        )}
        {conversation && (
          <>
            <Button onClick={() => void change({ unread: 1 }, t('Marked as unread'))}>
              {t('Mark unread')}
            </Button>
            <Button
              onClick={() =>
                void change({ archived: !isArchived }, isArchived ? t('Back in the list') : t('Archived'))
              }
            >
              {isArchived ? t('Unarchive') : t('Archive')}
            </Button>
          </>
        )}
      </span>
      {isSaving && <SaveContact number={number} contact={contact} onClose={() => setSaving(false)} />}
    </header>
  )
}
