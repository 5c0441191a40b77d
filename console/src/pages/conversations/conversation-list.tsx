import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { asChanged } from '../../data/optimistic.ts'
import type { Conversation, Message } from '../../data/records.ts'
import { may, session } from '../../data/session.ts'
import { seeMentions } from '../../data/team/news.ts'
import type { People } from '../../data/team/people.ts'
import { isDueLater, timeNote } from '../../data/text/message-time.ts'
import { isWide } from '../../data/use/media.ts'
import { useNames } from '../../data/use/use-known.ts'
import { t, tn } from '../../language/words.ts'
import { Avatar } from '../../parts/avatar.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Button, Notice } from '../../parts/form/form.tsx'
import { moveFocus } from '../../parts/list/arrows.ts'
import { Menu } from '../../parts/list/menu.tsx'
import { Pager } from '../../parts/list/table.tsx'
import { Loading, Title } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { formatDateTime, Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'
import { FirstSteps } from '../../shell/first-steps.tsx'
import { archive } from './change.ts'
import { NewConversation } from './new-conversation.tsx'
import { Swipe } from './swipe.tsx'
import { useAnswerDrafts } from './use-answer-draft.ts'
import { type Hit, useConversations, useCounts, useLastTexts, useNews } from './use-conversations.ts'
import { ALL, type View, viewsFor } from './views.ts'
import './conversation-list.css'
import './views.css'

/** The id of the chosen view (a filter of the list), kept while other pages are open. */
const view = signal('all')
const words = signal('')

/**
 * The views (filters such as Unassigned), and the conversations of one view. `chosen`: the phone number of
 * the open conversation, or ''.
 */
export function ConversationList({ chosen, people }: { chosen: string; people: People }) {
  const [isStarting, setStarting] = useState(false)
  const views = viewsFor(people)
  const shown = views.find(({ id }) => id === view.value) ?? ALL
  const { list, hits, words: asked } = useConversations(shown, words.value)
  const { loading, fault } = list
  // a search in the view All also finds archived and blocked conversations
  const isAny = asked !== '' && shown === ALL
  const items = list.items.map(asChanged).filter((each) => isAny || shown.has(each))
  const lastTextOf = useLastTexts(items)
  const drafts = new Map(useAnswerDrafts().items.map(({ conversation, text }) => [conversation, text]))
  const title = t('Conversations')
  const head = (
    <>
      {chosen ? <h2>{title}</h2> : <Title>{title}</Title>}
      <Views views={views} shown={shown} hasTeam={people.hasTeam} />
      <Button
        kind="primary"
        icon="plus"
        iconOnly
        needs="agent"
        aria-keyshortcuts="N"
        onClick={() => setStarting(true)}
      >
        {t('New conversation')}
      </Button>
    </>
  )
  return (
    <>
      {isWide.value && <div class="conversations-side">{head}</div>}
      <section class="conversations-list" aria-label={title}>
        <div class="conversations-find">
          {!isWide.value && head}
          <TextField
            label={t('Search')}
            name="search"
            type="search"
            placeholder={t('Name, number or text')}
            value={words.value}
            onValue={(typed) => {
              words.value = typed
            }}
          />
        </div>
        {loading && <Loading />}
        {fault && <Notice kind="wrong">{fault.message}</Notice>}
        {!loading && items.length === 0 && hits.length === 0 && (
          <p class="conversations-nothing muted">
            {asked === '' ? shown.nothing : t('No conversation was found.')}
          </p>
        )}
        {!loading && items.length === 0 && shown === ALL && asked === '' && <FirstSteps />}
        <ul onKeyDown={moveFocus}>
          {items.map((conversation) => (
            <li key={conversation.id}>
              <Row
                {...{ conversation, people }}
                isChosen={conversation.number === chosen}
                draft={drafts.get(conversation.id)}
                isTwin={items.some(({ id, name }) => name === conversation.name && id !== conversation.id)}
                isHit={isIn(conversation.last_text, asked)}
                last={lastTextOf(conversation.last_message)}
              />
            </li>
          ))}
        </ul>
        <Pager {...list} />
        {hits.length > 0 && (
          <Hits hits={hits} title={shown.id === 'mentions' ? '' : t('In older texts and notes')} />
        )}
      </section>
      {isStarting && <NewConversation onClose={() => setStarting(false)} />}
    </>
  )
}

/**
 * The views with their counts; on narrow screens a button that names the chosen view and opens the others.
 */
function Views({ views, shown, hasTeam }: { views: readonly View[]; shown: View; hasTeam: boolean }) {
  const countOf = useCounts()
  const news = useNews(hasTeam)
  const newWords = (count = 0) => (count > 0 ? tn('1 new', '{count} new', count) : '')
  const all = newWords((news.mine ?? 0) + (news.mentions ?? 0))
  const buttons = (close: () => void) => (
    <fieldset class="conversations-views">
      <legend class="unseen">{t('Show')}</legend>
      {views.map(({ id, words }) => (
        <Button
          key={id}
          kind="quiet"
          aria-pressed={id === shown.id}
          onClick={() => {
            view.value = id
            if (id === 'mentions') seeMentions()
            close()
          }}
        >
          <bdi>{words}</bdi>
          {newWords(news[id]) && <strong class="count">{newWords(news[id])}</strong>}
          <span class="muted">{countOf(id)}</span>
        </Button>
      ))}
    </fieldset>
  )
  if (isWide.value) return buttons(() => {})
  return (
    <Menu icon="filter" words={`${shown.words} ${countOf(shown.id)}${all && ` · ${all}`}`}>
      {buttons}
    </Menu>
  )
}

interface RowProps {
  readonly conversation: Conversation
  readonly isChosen: boolean
  readonly isHit: boolean
  /** Whether another conversation of the list has the same name, so that the number is needed, too. */
  readonly isTwin: boolean
  /** The last text; undefined until it is read. */
  readonly last: Message | undefined
  /** An answer that the user has typed, but not sent. */
  readonly draft: string | undefined
  readonly people: People
}

function Row({ conversation, isChosen, isHit, isTwin, last, draft, people }: RowProps) {
  const { number, name, last_text, last_type, last_message, last_sender, unread } = conversation
  const { assignee, follow_up_at, archived, last_at: time } = conversation
  const other = people.hasTeam && last_sender !== session.value?.sender && people.nameOf(last_sender)
  const facts = [
    isTwin && <PhoneNumber number={number} />,
    last && timeNote(last),
    people.hasTeam && people.nameOf(assignee),
    follow_up_at && formatDateTime(follow_up_at),
  ]
  const row = (
    <RowLink
      {...{ number, name, time, unread, isChosen, facts }}
      at={isHit ? `sms_messages/${last_message}` : ''}
    >
      {draft && !isChosen ? (
        <>
          <em>{t('Draft:')}</em> {draft}
        </>
      ) : (
        <>
          {last_type === 'outgoing' &&
            `${last && isDueLater(last) ? t('Scheduled:') : other ? `${other}:` : t('You:')} `}
          {last_text || (last_type === '' ? t('No texts yet') : t('The text was removed.'))}
        </>
      )}
    </RowLink>
  )
  if (!may('agent')) return row
  return (
    <Swipe words={archived ? t('Unarchive') : t('Archive')} onSwipe={() => void archive(conversation)}>
      {row}
    </Swipe>
  )
}

interface RowLinkProps {
  readonly number: string
  readonly name: string
  /** The text or note to open the thread at, such as `sms_messages/ID`; '' for its end. */
  readonly at: string
  readonly time: string
  readonly unread?: number
  readonly isChosen?: boolean
  readonly facts?: readonly ComponentChildren[]
  readonly children: ComponentChildren
}

const RowLink = ({ number, name, at, time, unread = 0, isChosen, facts = [], children }: RowLinkProps) => (
  <a
    href={to(`/conversations/${encodeURIComponent(number)}`, { at })}
    aria-current={isChosen ? 'page' : undefined}
    class={unread > 0 ? 'conversations-row unread' : 'conversations-row'}
    draggable={false}
  >
    <Avatar name={name} of={number} />
    <span>
      <strong class="conversations-who cut">{name || <PhoneNumber number={number} />}</strong>
      <Time at={time} />
    </span>
    {facts.some(Boolean) && (
      <span class="muted">{facts.map((fact, i) => fact && <span key={i}>{fact}</span>)}</span>
    )}
    <span>
      <span class="conversations-last cut">{children}</span>
      {unread > 0 && (
        <strong class="count">
          {unread}
          <span class="unseen"> {t('unread')}</span>
        </strong>
      )}
    </span>
  </a>
)

const isIn = (text: string, words: string) =>
  words !== '' && text.toLocaleLowerCase().includes(words.toLocaleLowerCase())

function Hits({ hits, title }: { hits: readonly Hit[]; title: string }) {
  const nameOf = useNames(hits.map(({ number }) => number))
  return (
    <section>
      {title && <h3>{title}</h3>}
      <ul onKeyDown={moveFocus}>
        {hits.map(({ at, number, text, time, isNote, author }) => (
          <li key={at}>
            <RowLink {...{ at, number, time }} name={nameOf(number)}>
              {isNote && `${author || t('Note')}: `}
              {text}
            </RowLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
