import { signal } from '@preact/signals'
import type { Conversation } from '../../data/records.ts'
import { may, session } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { isPhone } from '../../data/use/media.ts'
import { useNames } from '../../data/use/use-known.ts'
import { t, tn } from '../../language/words.ts'
import { TextField } from '../../parts/form/field.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import { Pager } from '../../parts/list/pager.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { formatDateTime, Time } from '../../parts/time.tsx'
import { Loading } from '../../parts/wait.tsx'
import { to } from '../../router.ts'
import { archive } from './change.ts'
import { Swipe } from './swipe.tsx'
import {
  type Hit,
  seeMentions,
  useConversations,
  useCounts,
  useNews,
  useReceived,
} from './use-conversations.ts'
import { VIEWS, type View, viewsFor } from './views.ts'

/** The chosen view, kept while the page of a conversation is open. */
const view = signal<View>('all')
const words = signal('')

/** The conversations, the newest first, with a search and views. `chosen`: the number that is open. */
export function ConversationList({ chosen, people }: { chosen: string; people: People }) {
  const { list, hits, words: asked } = useConversations(view.value, words.value)
  const { items, loading, fault } = list
  const receivedAt = useReceived(items)
  return (
    <section class="conversations-list" aria-label={t('Conversations')}>
      <div class="conversations-find">
        <Views hasTeam={people.hasTeam} />
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
      {!loading && items.length === 0 && (
        <p class="conversations-nothing muted">
          {words.value.trim() === '' ? VIEWS[view.value].nothing : t('No conversation was found.')}
        </p>
      )}
      <ul>
        {items.map((conversation) => (
          <li key={conversation.id}>
            <Row
              {...{ conversation, people }}
              isChosen={conversation.number === chosen}
              isHit={isIn(conversation.last_text, asked)}
              time={receivedAt(conversation.last_message) || conversation.last_at}
            />
          </li>
        ))}
      </ul>
      <Pager {...list} />
      {hits.length > 0 && <Hits hits={hits} />}
    </section>
  )
}

/** The views with their counts: on a phone behind a button, which shows the chosen one. */
function Views({ hasTeam }: { hasTeam: boolean }) {
  const countOf = useCounts()
  const news = useNews(hasTeam)
  const newWords = (count = 0) => (count > 0 ? tn('1 new', '{count} new', count) : '')
  const all = newWords((news.mine ?? 0) + (news.mentions ?? 0))
  const buttons = (close: () => void) => (
    <fieldset class="conversations-views">
      <legend class="unseen">{t('Show')}</legend>
      {viewsFor(hasTeam).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === view.value}
          onClick={() => {
            view.value = each
            if (each === 'mentions') seeMentions()
            close()
          }}
        >
          {VIEWS[each].words}
          <span class="muted">{countOf(each)}</span>
          {newWords(news[each]) && <strong class="count">{newWords(news[each])}</strong>}
        </button>
      ))}
    </fieldset>
  )
  if (!isPhone.value) return buttons(() => {})
  return (
    <Menu icon="filter" words={`${VIEWS[view.value].words} ${countOf(view.value)}${all && ` · ${all}`}`}>
      {buttons}
    </Menu>
  )
}

function Row({
  conversation,
  isChosen,
  isHit,
  time,
  people,
}: {
  conversation: Conversation
  isChosen: boolean
  /** The search found its last text. */
  isHit: boolean
  time: string
  people: People
}) {
  const { number, name, last_text, last_type, last_message, last_sender, unread } = conversation
  const { assignee, follow_up_at } = conversation
  const other = people.hasTeam && last_sender !== session.value?.sender && people.nameOf(last_sender)
  const facts = [people.hasTeam && people.nameOf(assignee), follow_up_at && formatDateTime(follow_up_at)]
  const row = (
    <a
      href={threadAt(number, isHit ? `sms_messages/${last_message}` : '')}
      aria-current={isChosen ? 'page' : undefined}
      class={unread > 0 ? 'unread' : ''}
      draggable={false}
    >
      <span class="conversations-who">{name || <PhoneNumber number={number} />}</span>
      <Time at={time} />
      <span class="conversations-number">
        {name && <PhoneNumber number={number} />}
        {facts.map((fact) => fact && <span key={fact}>{fact}</span>)}
      </span>
      <span class="conversations-last">
        {last_type === 'outgoing' && `${other ? `${other}:` : t('You:')} `}
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
  if (!may('agent')) return row
  return (
    <Swipe
      words={conversation.archived ? t('Unarchive') : t('Archive')}
      onSwipe={() => void archive(conversation)}
    >
      {row}
    </Swipe>
  )
}

const threadAt = (number: string, at: string) => to(`/conversations/${encodeURIComponent(number)}`, { at })

const isIn = (text: string, words: string) =>
  words !== '' && text.toLocaleLowerCase().includes(words.toLocaleLowerCase())

/** Texts that are not the last of a conversation on the page, and notes. */
function Hits({ hits }: { hits: readonly Hit[] }) {
  const nameOf = useNames(hits.map(({ number }) => number))
  return (
    <section class="conversations-older">
      <h2>{t('In older texts and notes')}</h2>
      <ul>
        {hits.map(({ at, number, text, time, isNote }) => (
          <li key={at}>
            <a href={threadAt(number, at)}>
              <span class="conversations-who">{nameOf(number) || <PhoneNumber number={number} />}</span>
              <Time at={time} />
              {nameOf(number) && (
                <span class="conversations-number">
                  <PhoneNumber number={number} />
                </span>
              )}
              <span class="conversations-last">
                {isNote && `${t('Note')}: `}
                {text}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
