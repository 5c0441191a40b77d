import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { asChanged } from '../../data/optimistic.ts'
import type { Conversation } from '../../data/record-types.ts'
import { hasWords } from '../../data/search/words.ts'
import type { People } from '../../data/team/people.ts'
import { isWide } from '../../data/use/media-queries.ts'
import { useNames } from '../../data/use/use-known.ts'
import { t } from '../../language/words.ts'
import { TextField } from '../../parts/form/field.tsx'
import { Button, FaultNotice } from '../../parts/form/form.tsx'
import { moveFocus } from '../../parts/list/arrows.ts'
import { Pager } from '../../parts/list/records.tsx'
import { useDrawn } from '../../parts/list/use-drawn.ts'
import { Loading, Title } from '../../parts/page.tsx'
import { FirstSteps } from '../../shell/first-steps.tsx'
import { ChooseBox, ChooseButton, ChosenBar } from './choose.tsx'
import { NewConversation } from './new-conversation.tsx'
import { NotifyHint } from './notify-hint.tsx'
import { useWriters } from './presence.ts'
import { useAnswerDrafts } from './use-answer-draft.ts'
import { type Hit, useConversations } from './use-conversations.ts'
import { useLastTexts } from './use-last-texts.ts'
import { ALL, viewsFor } from './views.ts'
import './conversation-list.css'
import { Row, RowLink } from './conversation-row.tsx'
import { Views, view } from './view-buttons.tsx'

const words = signal('')

/** The conversations that the list shows, by their numbers. */
const shownRows = new Map<string, Conversation>()
/** What the list shows of a conversation that is being read. */
export const findRow = (number: string): Conversation | undefined => shownRows.get(number)

/**
 * The views (filters such as Unassigned), and the conversations of one view. `chosen`: the phone number of
 * the open conversation, or ''.
 */
export function ConversationList({ chosen, people }: { chosen: string; people: People }) {
  const [isStarting, setStarting] = useState(false)
  const views = viewsFor(people)
  const shown = views.find(({ id }) => id === view.value) ?? ALL
  const { list: whole, hits, words: asked } = useConversations(shown, words.value)
  const list = useDrawn(whole)
  const { loading, fault } = list
  // a search in the view All also finds archived and blocked conversations
  const isAny = asked !== '' && shown === ALL
  const isMentions = shown.id === 'mentions'
  const items = list.items.map(asChanged).filter((each) => isAny || shown.has(each))
  shownRows.clear()
  for (const item of items) shownRows.set(item.number, item)
  const isFirst = items.length === 0 && shown === ALL && asked === ''
  const findLastText = useLastTexts(items)
  const findWriter = useWriters(people.hasTeam)
  const drafts = new Map(useAnswerDrafts().items.map(({ conversation, text }) => [conversation, text]))
  const times = new Map<string, number>()
  for (const { name } of items) if (name) times.set(name, (times.get(name) ?? 0) + 1)
  const title = t('Conversations')
  const head = (
    <>
      {chosen ? <h2>{title}</h2> : <Title>{title}</Title>}
      <Views views={views} shown={shown} hasTeam={people.hasTeam} />
      <ChooseButton />
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
        {!isFirst && <NotifyHint />}
        {loading && items.length + hits.length === 0 && <Loading />}
        <FaultNotice fault={fault} />
        {!loading && items.length === 0 && hits.length === 0 && (
          <p class="conversations-nothing muted">
            {asked === '' ? shown.nothing : t('No conversation was found.')}
          </p>
        )}
        {isFirst && !loading && <FirstSteps />}
        <ul onKeyDown={moveFocus}>
          {items.map((conversation) => (
            <li key={conversation.id}>
              <ChooseBox conversation={conversation} />
              <Row
                conversation={conversation}
                people={people}
                isChosen={conversation.number === chosen}
                draft={drafts.get(conversation.id)}
                isTwin={(times.get(conversation.name) ?? 0) > 1}
                isHit={asked !== '' && hasWords(conversation.last_text, asked)}
                findLastText={findLastText}
                time={conversation[shown.sort ?? 'last_at']}
                writer={findWriter(conversation.id)}
              />
            </li>
          ))}
        </ul>
        {!isMentions && <Pager {...list} />}
        {hits.length > 0 && <Hits hits={hits} title={isMentions ? '' : t('In older texts and notes')} />}
        {isMentions && <Pager {...list} />}
        <ChosenBar shown={items} people={people} />
      </section>
      {isStarting && <NewConversation onClose={() => setStarting(false)} />}
    </>
  )
}

function Hits({ hits, title }: { hits: readonly Hit[]; title: string }) {
  const findName = useNames(hits.map(({ number }) => number))
  return (
    <section>
      {title && <h3>{title}</h3>}
      <ul onKeyDown={moveFocus}>
        {hits.map(({ at, number, text, time, isNote, author }) => (
          <li key={at}>
            <RowLink at={at} number={number} time={time} name={findName(number)}>
              {isNote && `${author || t('Note')}: `}
              {text}
            </RowLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
