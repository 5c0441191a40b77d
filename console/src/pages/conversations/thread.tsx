import { useEffect, useRef, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { formatPhone } from '../../data/phone/phone-numbers.ts'
import type { Contact, Conversation, Message } from '../../data/records.ts'
import { may } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import type { Note } from '../../data/team/team.ts'
import { useList } from '../../data/use/use-list.ts'
import { useSims } from '../../data/use/use-sims.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Loading } from '../../parts/wait.tsx'
import { Answer } from './answer.tsx'
import { NoteBubble, Text } from './bubbles.tsx'
import { NoteForm } from './note-form.tsx'
import { usePresence } from './presence.ts'
import { useRead } from './use-read.ts'

const STEP = 50
/** The most messages that one page of the API can hold. */
const MOST = 500

/** The texts and notes of one conversation, the newest at the end, and the answer field. */
export function Thread({
  number,
  name,
  conversation,
  contact,
  isContactKnown,
  people,
}: {
  number: string
  name: string
  conversation: Conversation | undefined
  contact: Contact | undefined
  isContactKnown: boolean
  people: People
}) {
  const [perPage, setPerPage] = useState(STEP)
  const [isNote, setNote] = useState(false)
  const id = conversation?.id
  const filter = pb.filter(
    '(message_type = "incoming" && from = {:number}) || (message_type = "outgoing" && to = {:number})',
    { number },
  )
  const messages = useList<Message>('sms_messages', { filter, perPage, expand: 'device,sent_by' })
  const notes = useList<Note>('conversation_notes', {
    filter: pb.filter('conversation = {:id}', { id: id ?? '' }),
    perPage,
    ready: id !== undefined,
  })
  const simOf = useSims(messages.items)
  const isWhole = messages.total <= messages.items.length
  const entries = merge(messages.items, notes.items, isWhole)
  const last = entries.at(-1)?.record.id
  const texts = useRef<HTMLDivElement>(null)
  // the column is reversed: 0 is its end
  useEffect(() => texts.current?.scrollTo({ top: 0 }), [last])
  useRead(may('agent') ? conversation : undefined)
  const presence = usePresence(people.hasTeam ? id : undefined)
  return (
    <section
      class="conversations-thread"
      aria-label={t('With {name}', { name: name || formatPhone(number) })}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <div class="conversations-texts" ref={texts} tabIndex={0} role="log" aria-label={t('Texts')}>
        <div>
          {messages.loading && <Loading />}
          {messages.fault && <Notice kind="wrong">{messages.fault.message}</Notice>}
          {!messages.loading && entries.length === 0 && (
            <p class="muted">
              {t('Nothing has been said with {number} yet.', { number: formatPhone(number) })}
            </p>
          )}
          {!isWhole && perPage < MOST && (
            <Button onClick={() => setPerPage(Math.min(perPage * 2, MOST))}>{t('Show earlier texts')}</Button>
          )}
          {entries.map(({ record, isNote }) =>
            isNote ? (
              <NoteBubble key={record.id} note={record as Note} people={people} />
            ) : (
              <Text
                key={record.id}
                message={record as Message}
                sim={simOf(record as Message)}
                hasTeam={people.hasTeam}
              />
            ),
          )}
        </div>
      </div>
      <p class="conversations-presence" aria-live="polite">
        {presence.others.map(({ sender, name, state }) => (
          <span key={sender}>
            {state === 'writing' ? t('{name} is writing', { name }) : t('{name} is reading', { name })}
          </span>
        ))}
      </p>
      {may('agent') && (
        <footer class={isNote ? 'conversations-write note-box' : 'conversations-write'}>
          {id && (
            <div class="conversations-kinds">
              {[false, true].map((note) => (
                <button
                  key={String(note)}
                  type="button"
                  aria-pressed={isNote === note}
                  onClick={() => setNote(note)}
                >
                  {note ? t('Note') : t('Text')}
                </button>
              ))}
            </div>
          )}
          {isNote && id ? (
            <NoteForm conversation={id} people={people} onDone={() => setNote(false)} />
          ) : (
            <Answer
              {...{ number, name, conversation, contact, isContactKnown }}
              newest={messages.loading ? undefined : (messages.items[0]?.created ?? '')}
              hasTeam={people.hasTeam}
              onWrite={presence.write}
            />
          )}
        </footer>
      )}
    </section>
  )
}

interface Entry {
  readonly record: Message | Note
  readonly isNote: boolean
  readonly at: string
}

/**
 * Texts and notes by time, waiting texts last. Notes older than the first text only if all texts are read.
 */
function merge(messages: readonly Message[], notes: readonly Note[], isWhole: boolean): Entry[] {
  const timeOf = ({ status, scheduled_at, created }: Message) =>
    status === 'pending' && scheduled_at > created ? scheduled_at : created
  const first = isWhole ? '' : (messages.at(-1)?.created ?? '')
  return [
    ...messages.map((record) => ({ record, isNote: false, at: timeOf(record) })),
    ...notes
      .filter(({ created }) => created >= first)
      .map((record) => ({ record, isNote: true, at: record.created })),
  ].sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)))
}
