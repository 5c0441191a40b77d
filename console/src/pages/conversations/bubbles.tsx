import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { deviceName, isSimulated } from '../../data/device/simulated.ts'
import type { Message } from '../../data/records.ts'
import { may, session } from '../../data/session.ts'
import { isPerson, type People } from '../../data/team/people.ts'
import type { Note } from '../../data/team/team.ts'
import { reasonOf } from '../../data/words/failure-reasons.ts'
import { t } from '../../language/words.ts'
import { Attachments } from '../../parts/attachments/attachments.tsx'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { MessageStatus } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { to } from '../../router.ts'
import { NoteForm } from './note-form.tsx'

const SENDERS: Readonly<Record<string, (name: string) => string>> = {
  key: (name) => t('API key {name}', { name }),
  campaign: (name) => t('campaign {name}', { name }),
  hook: (name) => t('hook {name}', { name }),
  answer: (name) => t('automatic answer {name}', { name }),
}

/** The name of a text's sender; '' if only the user could have sent it. */
function senderOf({ expand }: Message, hasTeam: boolean): string {
  const sender = expand?.sent_by
  if (!sender) return ''
  if (isPerson(sender)) return hasTeam ? sender.name : ''
  return SENDERS[sender.kind]?.(sender.name) ?? ''
}

/** A text that came in, went out, or waits for its time. `sim`: the line that it took, or ''. */
export function Text({ message, sim, hasTeam }: { message: Message; sim: string; hasTeam: boolean }) {
  const { id, message_type, body, created, status, scheduled_at, expand } = message
  const reason = reasonOf(message)
  const isIn = message_type === 'incoming'
  const isWaiting = status === 'pending' && scheduled_at !== ''
  const sender = senderOf(message, hasTeam)
  // a simulated phone must be known as one
  const line = isSimulated(expand?.device) ? deviceName(expand?.device) : sim
  return (
    <article class={`conversations-text ${isIn ? 'in' : ''} ${isWaiting ? 'waiting' : ''}`}>
      <p>
        <span class="unseen">{isIn ? t('They wrote:') : t('You wrote:')} </span>
        {body || <span class="muted">{t('The text was removed.')}</span>}
      </p>
      <Attachments message={message} />
      <footer>
        {sender && <strong>{sender}</strong>}
        <a href={to(`/messages/${id}`)}>
          <span class="unseen">{t('Details')}, </span>
          <Time at={isWaiting ? scheduled_at : created} />
        </a>
        {!isIn && <MessageStatus message={message} />}
        {line && <span>{isIn ? t('to {line}', { line }) : t('by {line}', { line })}</span>}
        {reason && <span>{reason}</span>}
        {isWaiting && may('agent') && (
          <Button kind="quiet" onClick={() => void cancel(id)}>
            {t('Cancel the message')}
          </Button>
        )}
      </footer>
    </article>
  )
}

async function cancel(id: string): Promise<void> {
  try {
    await pb.send(`/api/sms/messages/${id}/cancel`, { method: 'POST' })
    toast(t('Canceled: it will not be sent'))
  } catch (error) {
    toastFault(error)
  }
}

/** A note among the texts. Its author and admins change it. */
export function NoteBubble({ note, people }: { note: Note; people: People }) {
  const [isChanging, setChanging] = useState(false)
  const isMine = note.author === session.value?.sender
  return (
    <article class="conversations-note">
      {isChanging ? (
        <NoteForm
          conversation={note.conversation}
          people={people}
          note={note}
          onDone={() => setChanging(false)}
        />
      ) : (
        <p>{note.text}</p>
      )}
      <footer>
        <strong>
          {people.hasTeam ? t('Note by {name}', { name: people.nameOf(note.author) }) : t('Note')}
        </strong>
        <Time at={note.created} />
        {(may('admin') || (may('agent') && isMine)) && !isChanging && (
          <>
            <Button kind="quiet" icon="edit" iconOnly onClick={() => setChanging(true)}>
              {t('Change the note')}
            </Button>
            <Button kind="quiet" icon="trash" iconOnly onClick={() => void remove(note.id)}>
              {t('Delete the note')}
            </Button>
          </>
        )}
      </footer>
    </article>
  )
}

async function remove(id: string): Promise<void> {
  const sure = await confirmed({
    title: t('Delete the note?'),
    text: t('It cannot be brought back.'),
    action: t('Delete'),
    danger: true,
  })
  if (sure) await pb.collection('conversation_notes').delete(id).catch(toastFault)
}
