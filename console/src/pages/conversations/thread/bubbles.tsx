import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { readReaction } from '#portable/read-reaction.ts'
import { isOnline } from '../../../data/connection/connection.ts'
import { discardUnsent, retryUnsent, type Unsent } from '../../../data/connection/outbox.ts'
import { isSimulated, nameDevice } from '../../../data/device/lines.ts'
import type { Message, Note } from '../../../data/record-types.ts'
import { hasTeamRole, session } from '../../../data/session.ts'
import { isPerson, type People } from '../../../data/team/people.ts'
import { describeDelay, readTime } from '../../../data/text/message-time.ts'
import {
  chooseShownState,
  findReason,
  readState,
  type ShownState,
} from '../../../data/words/message-states.ts'
import { describeSender, isByServer } from '../../../data/words/sender-words.ts'
import { t } from '../../../language/words.ts'
import { Attachments } from '../../../parts/attachments/attachments.tsx'
import { Avatar } from '../../../parts/avatar.tsx'
import { deleteRecord } from '../../../parts/dialog/dialog.tsx'
import { Button } from '../../../parts/form/form.tsx'
import {
  Badge,
  formatDateTime,
  formatPlannedTime,
  Hour,
  MessageStatus,
} from '../../../parts/time.tsx'
import { makePageHref } from '../../../router.ts'
import { hasNoteDraft, NoteForm } from '../note-form.tsx'
import { isScheduled } from './text-actions.tsx'
import './bubbles.css'

const SIGNS: Partial<Record<ShownState, string>> = {
  assigned: '…',
  sending: '…',
  sent: '✓',
  delivered: '✓✓',
}

/** The state of a sent text: a sign for the usual ones, unless `isWhole`. */
function Progress({
  message,
  canceler,
  isWhole,
}: {
  message: Message
  canceler: string
  isWhole: boolean
}) {
  if (canceler) return <Badge tone="calm">{t('Canceled by {name}', { name: canceler })}</Badge>
  const sign = SIGNS[chooseShownState(message)]
  if (!sign || isWhole) return <MessageStatus message={message} />
  const [, words] = readState(message)
  return (
    <span title={words}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{words}</span>
    </span>
  )
}

/**
 * An incoming, sent or scheduled text. `sim`: the name of its SIM, or ''. `isFound`: whether a search led to
 * the text. `isLast`: whether the text ends a group and so shows its time; others show it after a click.
 * `canceler`: the name of the person who has canceled another's text, or ''.
 */
export function Text({
  message,
  sim,
  hasTeam,
  canceler,
  isLast,
  isFound,
  children,
}: {
  message: Message
  sim: string
  hasTeam: boolean
  canceler: string
  isLast: boolean
  isFound: boolean
  /** The text's buttons. */
  children?: ComponentChildren
}) {
  const [isOpen, setOpen] = useState(false)
  const { id, message_type, body, expand } = message
  const reason = findReason(message)
  const isIn = message_type === 'incoming'
  const isWaiting = isScheduled(message)
  const isOfPerson = isPerson(expand?.sent_by) && !isByServer(message)
  const sender = hasTeam || !isOfPerson ? describeSender(message) : ''
  // names the device if it is simulated, else the SIM if the device has several
  const line = isSimulated(expand?.device) ? nameDevice(expand?.device) : sim
  const isTold = isLast || isOpen || isWaiting || Boolean(reason)
  const at = readTime(message)
  const isReaction = isIn && readReaction(body)?.isKnown
  return (
    <article
      class={`conversations-text ${isIn ? 'in' : ''} ${isReaction ? 'reaction' : ''} ${isWaiting ? 'waiting' : ''} ${isTold ? 'told' : ''}`}
      aria-current={isFound ? 'true' : undefined}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keyboard users have the link below */}
      <p onClick={() => setOpen(!isOpen)}>
        {isReaction && <span class="unseen">{t('Reaction:')} </span>}
        <span class="unseen">{isIn ? t('They wrote:') : t('You wrote:')} </span>
        {body || <span class="muted">{t('The text was removed.')}</span>}
      </p>
      <Attachments record={message} />
      <footer>
        <span>
          {isWaiting ? formatPlannedTime(at) : isOpen ? formatDateTime(at) : <Hour at={at} />}
          {!isIn && <Progress message={message} canceler={canceler} isWhole={isOpen} />}
          {isIn && describeDelay(at, message.created) && (
            <span>{describeDelay(at, message.created)}</span>
          )}
          {reason && <span>{reason}</span>}
        </span>
        {sender && expand?.sent_by && (
          <>
            {isOfPerson && <Avatar name={sender} of={expand.sent_by.id} isSmall />}
            <strong>
              {isOfPerson && expand.sent_by.id === session.value?.sender ? t('You') : sender}
            </strong>
          </>
        )}
        {line && <span>{isIn ? t('to {line}', { line }) : t('by {line}', { line })}</span>}
        <a href={makePageHref(`/messages/${id}`)} class={isOpen ? '' : 'unseen'}>
          {t('Details')}
        </a>
        {children}
      </footer>
    </article>
  )
}

const describeTextProgress = (fault: string): string => {
  if (fault) return t('Not sent: {fault}', { fault })
  return isOnline.value ? t('Sending') : t('Not sent yet: it goes when the connection is back.')
}

const describeNoteProgress = (fault: string): string => {
  if (fault) return t('Not saved: {fault}', { fault })
  return isOnline.value ? t('Saving') : t('Not saved yet: it is saved when the connection is back.')
}

/** A text or note that the server has not accepted yet. */
export const UnsentText = ({ text, text: { request, fault, note } }: { text: Unsent }) => (
  <article class={note ? 'conversations-note' : 'conversations-text waiting told'}>
    <p>{request.body}</p>
    <footer>
      <span>{note ? describeNoteProgress(fault) : describeTextProgress(fault)}</span>
      {fault !== '' && (
        <Button kind="quiet" onClick={() => retryUnsent(text)}>
          {note ? t('Try again') : t('Send again')}
        </Button>
      )}
      {(fault !== '' || !isOnline.value) && (
        <Button kind="quiet" onClick={() => discardUnsent(text)}>
          {t('Discard')}
        </Button>
      )}
    </footer>
  </article>
)

/** A note among the texts. Only the note's author and admins may change it. */
export function NoteBubble({
  note,
  people,
  isFound,
}: {
  note: Note
  people: People
  isFound: boolean
}) {
  const [isChanging, setChanging] = useState(() => hasNoteDraft(note.id, note.text))
  const isMine = note.author === session.value?.sender
  const author = people.hasTeam ? people.findName(note.author) : ''
  return (
    <article class="conversations-note" aria-current={isFound ? 'true' : undefined}>
      {isChanging ? (
        <NoteForm
          people={people}
          note={note}
          conversation={note.conversation}
          onDone={() => setChanging(false)}
        />
      ) : (
        <p>{note.text}</p>
      )}
      <footer>
        {author && <Avatar name={author} of={note.author} isSmall />}
        <strong>{author ? t('Note by {name}', { name: author }) : t('Note')}</strong>
        <Hour at={note.created} />
        {(hasTeamRole('admin') || (hasTeamRole('agent') && isMine)) && !isChanging && (
          <>
            <Button kind="quiet" icon="edit" iconOnly onClick={() => setChanging(true)}>
              {t('Change the note')}
            </Button>
            <Button kind="quiet" icon="trash" iconOnly onClick={() => void deleteNote(note)}>
              {t('Delete the note')}
            </Button>
          </>
        )}
      </footer>
    </article>
  )
}

const deleteNote = (note: Note) =>
  deleteRecord(note, {
    title: t('Delete the note?'),
    text: t('A deleted note cannot be restored.'),
  })
