import { pb } from '../../data/client.ts'
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
  readonly sort?: string
}

export const ALL: View = {
  id: 'all',
  words: t('All'),
  nothing: t('Texts that come in on your devices appear here, with your answers.'),
  filter: OPEN,
}

const OWN: readonly View[] = [
  ALL,
  {
    id: 'waiting',
    words: t('Waiting'),
    nothing: t('Nobody waits for an answer.'),
    filter: 'unanswered = true && archived = false && follow_up_at = ""',
  },
  {
    id: 'follow_up',
    words: t('Follow-up'),
    nothing: t('There are no reminders.'),
    filter: 'follow_up_at != ""',
    sort: 'follow_up_at',
  },
  {
    id: 'archived',
    words: t('Archived'),
    nothing: t('Nothing is archived.'),
    filter: 'archived = true && blocked = false',
  },
  { id: 'blocked', words: t('Blocked'), nothing: t('Nobody is blocked.'), filter: 'blocked = true' },
]

const assignedTo = (id: string) => pb.filter(`${OPEN} && assignee = {:id}`, { id })

/** The views of an account. A team also has Mine, Unassigned and Mentions, and a view for each colleague. */
export function viewsFor({ hasTeam, agents }: People): readonly View[] {
  if (!hasTeam) return OWN
  const me = session.value?.sender ?? ''
  return [
    {
      id: 'mine',
      words: t('Mine'),
      nothing: t('No conversation is assigned to you.'),
      filter: assignedTo(me),
    },
    {
      id: 'unassigned',
      words: t('Unassigned'),
      nothing: t('Somebody takes care of each conversation.'),
      filter: assignedTo(''),
    },
    {
      id: 'mentions',
      words: t('Mentions'),
      nothing: t('No note mentions you.'),
      filter: pb.filter('conversation_notes_via_conversation.mentions ?~ {:me}', { me }),
    },
    ...OWN,
    ...agents
      .filter(({ id }) => id !== me)
      .map(({ id, name }) => ({
        id,
        words: name,
        nothing: t('No conversation is assigned to {name}.', { name }),
        filter: assignedTo(id),
      })),
  ]
}
