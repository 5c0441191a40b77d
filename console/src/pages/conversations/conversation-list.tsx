import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { isOnline } from '../../data/connection/connection.ts'
import { useOptedOutNumbers } from '../../data/opt-out/opted-out.ts'
import { applyChanges } from '../../data/optimistic.ts'
import type { Conversation } from '../../data/record-types.ts'
import { hasWords } from '../../data/search/words.ts'
import type { People } from '../../data/team/people.ts'
import { inboxAnswer, type SavedView } from '../../data/unread.ts'
import { isWide } from '../../data/use/media-queries.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { FindPerson } from '../../parts/form/find-person.tsx'
import { Button, FaultNotice } from '../../parts/form/form.tsx'
import { moveFocus } from '../../parts/list/arrows.ts'
import { Pager } from '../../parts/list/records.tsx'
import { useDrawn } from '../../parts/list/use-drawn.ts'
import { Loading, Title } from '../../parts/page.tsx'
import { makeConversationPath } from '../../router.ts'
import { FirstSteps } from '../../shell/first-steps.tsx'
import { ChooseBox, ChooseButton, ChosenBar } from './choose.tsx'
import { LateViewDialog, makeBlank, SavedHead } from './edit-view.tsx'
import { useWriters } from './presence.ts'
import { useAnswerDrafts } from './use-answer-draft.ts'
import { useConversations } from './use-conversations.ts'
import type { Inbox } from './use-inbox.ts'
import { useLastTexts } from './use-last-texts.ts'
import { showView, useViewInAddress, view } from './view-in-address.ts'
import { ALL, listViews, makeLabelViews, makeSavedViews } from './views.ts'
import './conversation-list.css'
import { Row } from './conversation-row.tsx'
import { NotifyHint } from './notify-hint.tsx'
import { SearchHits } from './search-hits.tsx'
import { Views } from './view-buttons.tsx'

const words = signal('')

/** The conversations that the list shows, by their numbers. */
const shownRows = new Map<string, Conversation>()
/** The row of a conversation that is being read. */
export const findRow = (number: string): Conversation | undefined => shownRows.get(number)

/**
 * The views (filters such as Unassigned), and the conversations of one view. `chosen`: the phone number of
 * the open conversation, or ''.
 */
export function ConversationList({
  chosen,
  people,
  inbox,
}: {
  chosen: string
  people: People
  inbox: Inbox
}) {
  const [isStarting, setStarting] = useState(false)
  const [edited, setEdited] = useState<SavedView | 'new'>()
  useViewInAddress()
  const views = listViews(people)
  const savedViews = makeSavedViews(inbox, people)
  const labelViews = makeLabelViews(inbox)
  const chosenView = [...views, ...savedViews, ...labelViews].find(({ id }) => id === view.value)
  const shown = chosenView ?? ALL
  // the view that the address names may be a label or a saved view that is not read yet
  const isKnown = chosenView !== undefined || inboxAnswer.value !== undefined || !isOnline.value
  const { list: whole, hits, words: asked } = useConversations(shown, words.value, isKnown)
  const list = useDrawn(whole)
  const { fault } = list
  const loading = list.loading || words.value.trim() !== asked
  // a search in the view All also finds archived and blocked conversations
  const isAny = asked !== '' && shown === ALL
  const isMentions = shown.id === 'mentions'
  const items = list.items.map(applyChanges).filter((each) => isAny || shown.has(each))
  shownRows.clear()
  for (const item of items) shownRows.set(item.number, item)
  const isFirst = items.length === 0 && shown === ALL && asked === ''
  const findLastText = useLastTexts(items)
  const searched = asked === '' ? [] : [...items, ...hits].map(({ number }) => number)
  const hasOptedOut = useOptedOutNumbers(searched)
  const findWriter = useWriters(people.hasTeam)
  const drafts = new Map(
    useAnswerDrafts().items.map(({ conversation, text }) => [conversation, text]),
  )
  const times = new Map<string, number>()
  for (const { name } of items) if (name) times.set(name, (times.get(name) ?? 0) + 1)
  const title = t('Conversations')
  const head = (
    <>
      {chosen ? <h2>{title}</h2> : <Title>{title}</Title>}
      <Views
        views={views}
        savedViews={savedViews}
        labelViews={labelViews}
        shown={shown}
        hasTeam={people.hasTeam}
        inbox={inbox}
        onNew={() => setEdited('new')}
      />
      {!isWide.value && <ChooseButton />}
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
          {isWide.value && <ChooseButton />}
        </div>
        {shown.saved && <SavedHead shown={shown} onEdit={setEdited} />}
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
                isOut={
                  inbox.optedOut.includes(conversation.number) || hasOptedOut(conversation.number)
                }
                isHit={asked !== '' && hasWords(conversation.last_text, asked)}
                findLastText={findLastText}
                time={conversation[shown.sort ?? 'last_at']}
                writer={findWriter(conversation.id)}
                labels={inbox.labels}
              />
            </li>
          ))}
        </ul>
        {!isMentions && <Pager {...list} />}
        {hits.length > 0 && (
          <SearchHits
            hits={hits}
            hasOptedOut={hasOptedOut}
            title={isMentions ? '' : t('In older texts and notes')}
          />
        )}
        {isMentions && <Pager {...list} />}
        <ChosenBar shown={items} people={people} labels={inbox.labels} />
      </section>
      {edited && (
        <LateViewDialog
          saved={edited === 'new' ? undefined : edited}
          blank={makeBlank(shown, views, labelViews)}
          inbox={inbox}
          people={people}
          onSaved={(id) => showView(id || ALL.id)}
          onClose={() => setEdited(undefined)}
        />
      )}
      {isStarting && <NewConversation onClose={() => setStarting(false)} />}
    </>
  )
}

const NewConversation = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={t('New conversation')} onClose={onClose}>
    <FindPerson
      makePath={makeConversationPath}
      action={t('Write')}
      only="opted_out = false"
      autofocus
      onClose={onClose}
    />
  </Dialog>
)
