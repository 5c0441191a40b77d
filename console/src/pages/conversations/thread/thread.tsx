import { Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { E164, SHORT_CODE } from '#portable/phone/e164.ts'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { pb } from '../../../data/client.ts'
import { applyChanges } from '../../../data/optimistic.ts'
import type { Conversation, Message, Note } from '../../../data/record-types.ts'
import { hasTeamRole, session } from '../../../data/session.ts'
import { useCancelers } from '../../../data/team/cancelers.ts'
import { markNotesSeen } from '../../../data/team/new-mentions.ts'
import { useList } from '../../../data/use/use-list.ts'
import { useSims } from '../../../data/use/use-sims.ts'
import { t, tn } from '../../../language/words.ts'
import { Button, FaultNotice } from '../../../parts/form/form.tsx'
import { usePhones } from '../../../parts/message/send-again.tsx'
import { Loading } from '../../../parts/page.tsx'
import { formatDay } from '../../../parts/time.tsx'
import { Answer } from '../answer.tsx'
import { hasNoteDraft, NoteForm } from '../note-form.tsx'
import { usePresence } from '../presence.ts'
import type { About } from '../side-panel.tsx'
import { useAnswerDraft } from '../use-answer-draft.ts'
import { NoteBubble, Text, UnsentText } from './bubbles.tsx'
import { OptOutQuestion } from './opt-out-question.tsx'
import { RivalNotice } from './rival.tsx'
import { isFailure, TextActions } from './text-actions.tsx'
import type { UndoneAnswer } from './undo-answer.ts'
import { useOnTheWay } from './use-on-the-way.ts'
import { useThread } from './use-thread.ts'
import './thread.css'
import { isFoundText, isGroup, mergeEntries } from './entries.ts'
import { usePlace } from './use-place.ts'

const MAX_NOTES = 500
/**
 * The texts and notes of one conversation, newest last, and the field for an answer. `at`: the text or note
 * to scroll to, such as `sms_messages/ID`; '' for the newest.
 */
export function Thread({ about, at }: { about: About; at: string }) {
  const { number, conversation, people } = about
  const [isNote, setNote] = useState(false)
  const [undone, setUndone] = useState<UndoneAnswer>()
  const id = conversation?.id
  useEffect(() => {
    if (id && hasNoteDraft(id)) setNote(true)
  }, [id])
  const thread = useThread(number, at)
  const { texts } = thread
  const notes = useList<Note>('conversation_notes', {
    filter: pb.filter('conversation = {:id}', { id: id ?? '' }),
    perPage: MAX_NOTES,
    ready: id !== undefined,
  })
  const lastNote = notes.items.reduce((last, { created }) => (created > last ? created : last), '')
  useEffect(() => {
    if (id && lastNote) markNotesSeen(id, lastNote)
  }, [id, lastNote])
  const findSim = useSims(texts)
  const entries = mergeEntries(thread, notes.items.map(applyChanges))
  const days = entries.map(({ at: time }) => formatDay(time))
  const { unsent, rival, forgetRival } = useOnTheWay(about, thread, notes.items)
  const place = usePlace(thread, entries, at)
  useRead(hasTeamRole('agent') ? conversation : undefined)
  const phones = usePhones(texts.some((text) => isFailure(text, texts)))
  const presence = usePresence(people.hasTeam ? id : undefined)
  const findCanceler = useCancelers(texts, people.hasTeam)
  const kinds = id && (
    <fieldset class="conversations-kinds">
      <legend class="unseen">{t('Write')}</legend>
      {[false, true].map((note) => (
        <Button
          key={String(note)}
          kind="quiet"
          aria-pressed={isNote === note}
          aria-keyshortcuts={note ? 'M' : undefined}
          onClick={() => setNote(note)}
        >
          {note ? t('Note') : t('Text')}
        </Button>
      ))}
    </fieldset>
  )
  return (
    <>
      <div
        class="conversations-texts"
        {...place.ties}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        role="log"
        aria-label={t('Texts')}
      >
        <div>
          {thread.loading && <Loading />}
          <FaultNotice fault={thread.fault} />
          {!thread.loading && entries.length + unsent.length === 0 && (
            <p class="muted">{t('No texts with {number} yet.', { number: formatPhone(number) })}</p>
          )}
          {thread.hasOlder && <Button onClick={thread.older}>{t('Show earlier texts')}</Button>}
          {entries.map((entry, i) => (
            <Fragment key={entry.record.id}>
              {days[i] !== days[i - 1] && <p class="conversations-day">{days[i]}</p>}
              {entry.isNote ? (
                <NoteBubble
                  note={entry.record as Note}
                  people={people}
                  isFound={isFoundText(at, entry)}
                />
              ) : (
                <Text
                  message={entry.record as Message}
                  sim={findSim(entry.record as Message)}
                  hasTeam={people.hasTeam}
                  canceler={findCanceler(entry.record as Message)}
                  isLast={!isGroup(entry, entries[i + 1])}
                  isFound={isFoundText(at, entry)}
                >
                  <TextActions
                    message={entry.record as Message}
                    texts={texts}
                    phones={phones}
                    hasContact={about.contact !== undefined}
                    isOptedOut={about.isOptedOut}
                    onSent={place.toEnd}
                    onUndone={(answer) => {
                      setNote(false)
                      setUndone(answer)
                    }}
                  />
                </Text>
              )}
            </Fragment>
          ))}
          {unsent.map((text) => (
            <UnsentText key={text.key} text={text} />
          ))}
        </div>
      </div>
      {place.isAway && (
        <div class="conversations-to-end">
          <Button icon="down" onClick={place.toEnd}>
            {place.news > 0 ? tn('1 new', '{count} new', place.news) : t('To the newest')}
          </Button>
        </div>
      )}
      <p class="conversations-presence" aria-live="polite">
        {presence.others.map(({ sender, name, state }) => (
          <span key={sender}>
            {state === 'writing'
              ? t('{name} is writing', { name })
              : t('{name} is reading', { name })}
          </span>
        ))}
      </p>
      {!hasTeamRole('agent') && <ReadOnly about={about} />}
      {hasTeamRole('agent') && (
        <footer class={isNote ? 'conversations-write note-box' : 'conversations-write'}>
          <OptOutQuestion about={about} texts={texts} />
          {rival && conversation && (
            <RivalNotice
              name={rival}
              conversation={conversation}
              people={people}
              onNote={() => setNote(true)}
              onClose={forgetRival}
            />
          )}
          {isNote && id ? (
            <NoteForm
              number={number}
              people={people}
              kinds={kinds}
              conversation={id}
              onDone={() => setNote(false)}
            />
          ) : !E164.test(number) && !SHORT_CODE.test(number) ? (
            <>
              {kinds}
              <p class="muted">{t('A sender without a number cannot be answered.')}</p>
            </>
          ) : (
            <Answer
              {...about}
              kinds={kinds}
              texts={thread.loading ? undefined : texts}
              writer={presence.others.find(({ state }) => state === 'writing')?.name}
              onSent={place.toEnd}
              onWrite={presence.write}
              undone={undone}
              onRestored={() => setUndone(undefined)}
            />
          )}
        </footer>
      )}
    </>
  )
}

/** Shown to viewers instead of the answer field. A text typed before the role changed can still be copied. */
function ReadOnly({ about: { number, conversation } }: { about: About }) {
  const { value } = useAnswerDraft(number, conversation)
  return (
    <footer class="conversations-write">
      <p class="muted">
        {session.value?.isVisit
          ? t('You see this account as a superuser: only its team answers.')
          : t('You are a viewer here: agents and admins answer.')}
      </p>
      {value !== '' && <p>{t('What you had typed: {text}', { text: value })}</p>}
    </footer>
  )
}

/** Marks an unread conversation as read: now if the page is visible, else when it becomes visible. */
function useRead(conversation: Conversation | undefined): void {
  const id = conversation?.id
  const unread = conversation?.unread ?? 0
  useEffect(() => {
    if (!id || unread === 0) return
    const read = () => {
      if (document.visibilityState !== 'visible') return
      // after a failure, this runs again at the next incoming text or when the page becomes visible again
      pb.collection('conversations')
        .update(id, { unread: 0 })
        .catch(() => {})
    }
    read()
    document.addEventListener('visibilitychange', read)
    return () => document.removeEventListener('visibilitychange', read)
  }, [id, unread])
}
