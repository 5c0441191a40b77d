import { useState } from 'preact/hooks'
import type { Conversation, Message } from '../../data/records.ts'
import { useNames } from '../../data/use/use-known.ts'
import { t } from '../../language/words.ts'
import { TextField } from '../../parts/form/field.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Pager } from '../../parts/list/pager.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/time.tsx'
import { Loading } from '../../parts/wait.tsx'
import { to } from '../../router.ts'
import { numberOf, type Shown, useConversations } from './use-conversations.ts'

const TABS: readonly (readonly [Shown, string])[] = [
  ['all', t('All')],
  ['unread', t('Unread')],
  ['unanswered', t('Unanswered')],
  ['archived', t('Archived')],
]

const NOTHING: Readonly<Record<Shown, string>> = {
  all: t('Texts that come in on your devices appear here, with your answers.'),
  unread: t('You have read everything.'),
  unanswered: t('Nobody waits for an answer.'),
  archived: t('Nothing is archived.'),
}

/** The conversations, the newest first, with a search and filters. `chosen`: the number that is open. */
export function ConversationList({ chosen }: { chosen: string }) {
  const [shown, setShown] = useState<Shown>('all')
  const [words, setWords] = useState('')
  const { list, older } = useConversations(shown, words)
  const { items, loading, fault } = list
  return (
    <section class="conversations-list" aria-label={t('Conversations')}>
      <TextField
        label={t('Search')}
        name="search"
        type="search"
        placeholder={t('Name, number or text')}
        value={words}
        onValue={setWords}
      />
      <Tabs label={t('Show')} tabs={TABS} chosen={shown} onChoose={setShown}>
        {loading && <Loading />}
        {fault && <Notice kind="wrong">{fault.message}</Notice>}
        {!loading && items.length === 0 && (
          <p class="conversations-nothing muted">
            {words.trim() === '' ? NOTHING[shown] : t('No conversation was found.')}
          </p>
        )}
        <ul>
          {items.map((conversation) => (
            <li key={conversation.id}>
              <Row conversation={conversation} isChosen={conversation.number === chosen} />
            </li>
          ))}
        </ul>
        <Pager {...list} />
        {older.length > 0 && <OlderTexts messages={older} />}
      </Tabs>
    </section>
  )
}

function Row({ conversation, isChosen }: { conversation: Conversation; isChosen: boolean }) {
  const { number, name, last_text, last_type, last_at, unread } = conversation
  return (
    <a
      href={to(`/conversations/${encodeURIComponent(number)}`)}
      aria-current={isChosen ? 'page' : undefined}
      class={unread > 0 ? 'unread' : ''}
    >
      <span class="conversations-who">{name || <PhoneNumber number={number} />}</span>
      <Time at={last_at} />
      {name && (
        <span class="conversations-number">
          <PhoneNumber number={number} />
        </span>
      )}
      <span class="conversations-last">
        {last_type === 'outgoing' && `${t('You:')} `}
        {last_text || (last_type === '' ? t('No texts yet') : t('The text was removed.'))}
      </span>
      {unread > 0 && (
        <strong class="count">
          {unread}
          <span class="unseen"> {t('unread')}</span>
        </strong>
      )}
    </a>
  )
}

/** Texts that are not the last of a conversation on the page. */
function OlderTexts({ messages }: { messages: readonly Message[] }) {
  const nameOf = useNames(messages.map(numberOf))
  return (
    <section class="conversations-older">
      <h2>{t('In older texts')}</h2>
      <ul>
        {messages.map((message) => {
          const number = numberOf(message)
          return (
            <li key={message.id}>
              <a href={to(`/conversations/${encodeURIComponent(number)}`)}>
                <span class="conversations-who">{nameOf(number) || <PhoneNumber number={number} />}</span>
                <Time at={message.created} />
                {nameOf(number) && (
                  <span class="conversations-number">
                    <PhoneNumber number={number} />
                  </span>
                )}
                <span class="conversations-last">{message.body}</span>
              </a>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
