import {
  BY_ME,
  BY_NOBODY,
  findAssignee,
  INBOX_STATES,
  writeViewFilter,
} from '#portable/inbox-views.ts'
import { pb } from '../../data/client.ts'
import { hasFailed } from '../../data/has-failed.ts'
import type { Label } from '../../data/labels.ts'
import type { Conversation } from '../../data/record-types.ts'
import { session } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import type { SavedView } from '../../data/unread.ts'
import { t } from '../../language/words.ts'
import type { Inbox } from './use-inbox.ts'

const { open: OPEN } = INBOX_STATES

export interface View {
  /** The view's name in `GET /api/account/inbox`, or the id of a colleague, label or saved view. */
  readonly id: string
  readonly words: string
  readonly nothing: string
  /** The filter of the view's list. A database index serves every view's filter except that of Mentions. */
  readonly filter: string
  /** Sorts by this time, the earliest first, instead of the latest text first. The rows show it. */
  readonly sort?: 'follow_up_at' | 'last_at'
  /** Whether a conversation that was changed here is still one of the view. */
  readonly has: (conversation: Conversation) => boolean
  readonly saved?: SavedView
  /** Deleted records that a saved view names. */
  readonly lost?: string
}

const isConversationOpen = ({ archived, blocked }: Conversation) => !archived && !blocked

export const ALL: View = {
  id: 'all',
  words: t('All#conversations'),
  nothing: t('Texts that come in on your devices appear here, with your answers.'),
  filter: OPEN,
  has: isConversationOpen,
}

const OWN: readonly View[] = [
  ALL,
  {
    id: 'waiting',
    words: t('Waiting'),
    nothing: t('Nobody waits for an answer.'),
    filter: INBOX_STATES.waiting,
    has: ({ archived, follow_up_at }) => !archived && follow_up_at === '',
  },
  {
    id: 'failed',
    words: t('Failed#conversations'),
    nothing: t('No text has failed.'),
    filter: INBOX_STATES.failed,
    has: (conversation) => isConversationOpen(conversation) && hasFailed(conversation),
  },
  {
    id: 'unread',
    words: t('Unread'),
    nothing: t('All texts are read.'),
    filter: INBOX_STATES.unread,
    has: isConversationOpen,
  },
  {
    id: 'follow_up',
    words: t('Follow-up'),
    nothing: t('There are no follow-ups.'),
    filter: INBOX_STATES.follow_up,
    sort: 'follow_up_at',
    has: ({ follow_up_at }) => follow_up_at !== '',
  },
  {
    id: 'archived',
    words: t('Archived'),
    nothing: t('Nothing is archived.'),
    filter: INBOX_STATES.archived,
    has: ({ archived, blocked }) => archived && !blocked,
  },
  {
    id: 'blocked',
    words: t('Blocked#conversations'),
    nothing: t('Nobody is blocked.'),
    filter: INBOX_STATES.blocked,
    has: ({ blocked }) => blocked,
  },
]

/** A view for each label. */
export const makeLabelViews = ({ labels }: Inbox): readonly View[] =>
  labels.map(({ id, name }) => ({
    id,
    words: name,
    nothing: t('No conversation has this label.'),
    filter: writeViewFilter({ state: 'open', assignee: '', labels: [id] }, ''),
    has: (conversation) => isConversationOpen(conversation) && conversation.labels.includes(id),
  }))

/** The saved views of the person and of the team. */
export const makeSavedViews = ({ views, labels }: Inbox, people: People): readonly View[] =>
  views.map((saved) => {
    const me = session.value?.sender ?? ''
    const { state, sort } = saved
    const hasState = OWN.find(({ id }) => id === (state === 'open' ? 'all' : state))!.has
    const assignee = findAssignee(saved.assignee, me)
    return {
      id: saved.id,
      words: saved.name,
      nothing: t('No conversation is in this view.'),
      filter: writeViewFilter(saved, me),
      ...(sort !== 'newest' && { sort: sort === 'oldest' ? 'last_at' : 'follow_up_at' }),
      has: (conversation) =>
        hasState(conversation) &&
        (saved.assignee === '' || conversation.assignee === assignee) &&
        (saved.labels.length === 0 || saved.labels.some((id) => conversation.labels.includes(id))),
      saved,
      lost: describeLost(saved, labels, people),
    }
  })

function describeLost(saved: SavedView, labels: readonly Label[], people: People): string {
  const { assignee } = saved
  const isPerson = assignee !== '' && assignee !== BY_ME && assignee !== BY_NOBODY
  if (isPerson && people.all.length > 0 && !people.all.some(({ id }) => id === assignee))
    return t('The person of this view has left the team.')
  const isKnown = (id: string) => labels.some((label) => label.id === id)
  return saved.labels.every(isKnown) ? '' : t('A label of this view was deleted.')
}

const makeAssignedView = (id: string) => ({
  filter: pb.filter(`${OPEN} && assignee = {:id}`, { id }),
  has: (conversation: Conversation) =>
    isConversationOpen(conversation) && conversation.assignee === id,
})

/** The views of an account. A team also has Mine, Unassigned and Mentions, and a view for each colleague. */
export function listViews({ hasTeam, agentIds, findName }: People): readonly View[] {
  if (!hasTeam) return OWN
  const me = session.value?.sender ?? ''
  return [
    {
      id: 'mine',
      words: t('Mine'),
      nothing: t('No conversation is assigned to you.'),
      ...makeAssignedView(me),
    },
    {
      id: 'unassigned',
      words: t('Unassigned'),
      nothing: t('Somebody takes care of each conversation.'),
      ...makeAssignedView(''),
    },
    {
      id: 'mentions',
      words: t('Mentions'),
      nothing: t('No note mentions you.'),
      filter: pb.filter('conversation_notes_via_conversation.mentions ?~ {:me}', { me }),
      has: () => true,
    },
    ...OWN,
    ...agentIds
      .filter((id) => id !== me)
      .map((id) => ({
        id,
        words: findName(id),
        nothing: t('No conversation is assigned to {name}.', { name: findName(id) }),
        ...makeAssignedView(id),
      })),
  ]
}
