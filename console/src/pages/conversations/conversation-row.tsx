import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { hasFailed } from '../../data/has-failed.ts'
import type { Label } from '../../data/labels.ts'
import type { Conversation, Message } from '../../data/record-types.ts'
import { hasTeamRole, session } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { describeTime, isDueLater } from '../../data/text/message-time.ts'
import { describeFailure, findWaitingReason } from '../../data/words/message-states.ts'
import { describeSender } from '../../data/words/sender-words.ts'
import { t } from '../../language/words.ts'
import { Avatar } from '../../parts/avatar.tsx'
import { Icon } from '../../parts/icon.tsx'
import { LabelChips } from '../../parts/labels/label-chip.tsx'
import { memoizeComponent } from '../../parts/memo.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { formatSoon, Time } from '../../parts/time.tsx'
import { makeConversationPath, makePageHref } from '../../router.ts'
import { archiveConversation } from './change.ts'
import { chooseByRow } from './choose.tsx'
import './swipe.css'
import { canUndo } from './thread/undo-answer.ts'
import { readViewQuery } from './view-in-address.ts'

interface RowProps {
  readonly conversation: Conversation
  readonly isChosen: boolean
  readonly isHit: boolean
  /** Whether another conversation of the list has the same name, so that the number is needed, too. */
  readonly isTwin: boolean
  /** Whether the number has opted out; read for new conversations and for a search. */
  readonly isOut: boolean
  /** Finds a text by its id; undefined until it is read. */
  readonly findLastText: (id: string) => Message | undefined
  /** The time that the row shows. */
  readonly time: string
  /** The name of another person who writes in the conversation. */
  readonly writer: string | undefined
  /** An answer that the user has typed, but not sent. */
  readonly draft: string | undefined
  readonly people: People
  readonly labels: readonly Label[]
}

export const Row = memoizeComponent((props: RowProps) => {
  const {
    conversation,
    isChosen,
    isHit,
    isTwin,
    isOut,
    findLastText,
    time,
    writer,
    draft,
    people,
    labels,
  } = props
  const { number, name, last_text, last_type, last_message, last_sender, unread } = conversation
  const { assignee, follow_up_at, archived, failure } = conversation
  const last = findLastText(last_message)
  const hasFiles = (last?.attachments.length ?? 0) > 0
  const isOwn = last_sender === '' || last_sender === session.value?.sender
  const sender = isOwn ? '' : people.findName(last_sender) || (last && describeSender(last))
  const failed = hasFailed(conversation) && <em>{describeFailure(failure)}</em>
  const facts = [
    isOut && t('Opted out'),
    last_type === 'incoming' && failed,
    isTwin && <PhoneNumber number={number} />,
    last && ((!canUndo(last) && findWaitingReason(last)) || describeTime(last)),
    people.hasTeam && people.findName(assignee),
    follow_up_at && (
      <>
        <Icon name="clock" size={14} /> <span class="unseen">{t('Follow-up:')}</span>{' '}
        {formatSoon(follow_up_at)}
      </>
    ),
    conversation.labels.length > 0 && (
      <LabelChips ids={conversation.labels} labels={labels} most={3} />
    ),
  ]
  const row = (
    <RowLink
      number={number}
      name={name}
      time={time}
      unread={unread}
      isChosen={isChosen}
      facts={facts}
      at={isHit ? `sms_messages/${last_message}` : ''}
      onClick={(event) => chooseByRow(event, conversation)}
    >
      {writer ? (
        t('{name} is writing', { name: writer })
      ) : failed && last_type === 'outgoing' ? (
        failed
      ) : draft && !isChosen && unread === 0 ? (
        <>
          <em>{t('Draft:')}</em> {draft}
        </>
      ) : (
        <span class={last_type === 'outgoing' ? 'muted' : ''}>
          {last_type === 'outgoing' &&
            `${failure ? endWithColon(describeFailure(failure)) : describeBeginning(last, isOwn, sender)} `}
          {hasFiles && <Icon name="picture" size={16} />}{' '}
          {last_text || describeNoText(last_type, hasFiles)}
        </span>
      )}
    </RowLink>
  )
  if (!hasTeamRole('agent')) return row
  return (
    <Swipe
      words={archived ? t('Unarchive') : t('Archive')}
      onSwipe={() => void archiveConversation(conversation)}
    >
      {row}
    </Swipe>
  )
})

function describeNoText(type: Conversation['last_type'], hasFiles: boolean): string {
  if (type === '') return t('No texts yet')
  return hasFiles ? t('Picture or file') : t('The text was removed.')
}

/** The words before an outgoing text: its sender, if read. */
function describeBeginning(last: Message | undefined, isOwn: boolean, sender = ''): string {
  if (last && isDueLater(last)) return t('Scheduled:')
  return isOwn ? t('You:') : sender && endWithColon(sender)
}

const endWithColon = (words: string) => t('{words}:', { words })

interface RowLinkProps {
  readonly number: string
  readonly name: string
  /** The text or note to open the thread at, such as `sms_messages/ID`; '' for its end. */
  readonly at: string
  readonly time: string
  readonly unread?: number
  readonly isChosen?: boolean
  readonly facts?: readonly ComponentChildren[]
  readonly onClick?: (event: MouseEvent) => void
  readonly children: ComponentChildren
}

export const RowLink = ({
  number,
  name,
  at,
  time,
  unread = 0,
  isChosen,
  facts = [],
  onClick,
  children,
}: RowLinkProps) => (
  <a
    href={makePageHref(makeConversationPath(number), { at, ...readViewQuery() })}
    aria-current={isChosen ? 'page' : undefined}
    class={unread > 0 ? 'conversations-row unread' : 'conversations-row'}
    draggable={false}
    onClick={onClick}
  >
    <Avatar name={name} of={number} />
    <span>
      <strong class={name ? 'conversations-who cut' : 'conversations-who'}>
        {name || <PhoneNumber number={number} />}
      </strong>
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
          <span class="unseen"> {t('unread#texts')}</span>
        </strong>
      )}
    </span>
  </a>
)

/** The shortest swipe that has an effect, in pixels. */
const FAR_PX = 96

/** Content that a swipe moves aside, which uncovers `words`. A swipe of FAR_PX or more calls `onSwipe`. */
function Swipe({
  words,
  onSwipe,
  children,
}: {
  words: string
  onSwipe: () => void
  children: ComponentChildren
}) {
  const [by, setBy] = useState(0)
  const from = useRef<number>(undefined)
  const end = (isDone: boolean) => {
    if (isDone && Math.abs(by) >= FAR_PX) onSwipe()
    from.current = undefined
    setBy(0)
  }
  return (
    // the style sheet sets `touch-action: pan-y`, so the browser handles only vertical scrolling
    <div
      class="conversations-swipe"
      onPointerDown={(event) => {
        if (event.pointerType === 'touch') from.current = event.clientX
      }}
      onPointerMove={(event) => {
        if (from.current !== undefined) setBy(event.clientX - from.current)
      }}
      onPointerUp={() => end(true)}
      onPointerCancel={() => end(false)}
    >
      {by !== 0 && (
        <span class={`conversations-below ${by < 0 ? 'end' : ''}`} aria-hidden="true">
          {words}
        </span>
      )}
      <div style={by !== 0 ? { transform: `translateX(${by}px)` } : {}}>{children}</div>
    </div>
  )
}
