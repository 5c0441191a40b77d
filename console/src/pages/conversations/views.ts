import { pb } from '../../data/client.ts'
import { hasFailed } from '../../data/has-failed.ts'
import type { Conversation } from '../../data/record-types.ts'
import { session } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { t } from '../../language/words.ts'

const OPEN = 'archived = false && blocked = false'

export interface View {
  /** The view's name in `GET /api/account/inbox`, or a colleague's id. */
  readonly id: string
  readonly words: string
  readonly nothing: string
  /** The filter of the view's list. A database index serves every view's filter except that of Mentions. */
  readonly filter: string
  /** Sorts by this time, the earliest first, instead of by the last text. The rows show it. */
  readonly sort?: 'follow_up_at'
  /** Whether a conversation that was changed here is still one of the view. */
  readonly has: (conversation: Conversation) => boolean
}

const isConversationOpen = ({ archived, blocked }: Conversation) => !archived && !blocked

export const ALL: View = {
  id: 'all',
  words: t('All'),
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
    filter: 'unanswered = true && archived = false && follow_up_at = ""',
    has: ({ archived, follow_up_at }) => !archived && follow_up_at === '',
  },
  {
    id: 'failed',
    words: t('Failed'),
    nothing: t('No text has failed.'),
    filter: `failure != "" && failure != "Canceled" && ${OPEN}`,
    has: (conversation) => isConversationOpen(conversation) && hasFailed(conversation),
  },
  {
    id: 'unread',
    words: t('Unread'),
    nothing: t('All texts are read.'),
    filter: `unread > 0 && ${OPEN}`,
    has: isConversationOpen,
  },
  {
    id: 'follow_up',
    words: t('Follow-up'),
    nothing: t('There are no reminders.'),
    filter: 'follow_up_at != ""',
    sort: 'follow_up_at',
    has: ({ follow_up_at }) => follow_up_at !== '',
  },
  {
    id: 'archived',
    words: t('Archived'),
    nothing: t('Nothing is archived.'),
    filter: 'archived = true && blocked = false',
    has: ({ archived, blocked }) => archived && !blocked,
  },
  {
    id: 'blocked',
    words: t('Blocked'),
    nothing: t('Nobody is blocked.'),
    filter: 'blocked = true',
    has: ({ blocked }) => blocked,
  },
]

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
