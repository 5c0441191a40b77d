import { pb } from '../../data/client.ts'
import { session } from '../../data/session.ts'
import { t } from '../../language/words.ts'

const OPEN = 'archived = false && blocked = false'
/** The server's indexes are for these filters. */
const WAITS = 'unanswered = true && archived = false && follow_up_at = ""'

interface Kind {
  readonly words: string
  /** Shown when the view is empty. */
  readonly nothing: string
  readonly filter: () => string
  readonly sort?: string
  /** Only for teams. */
  readonly ofTeam?: true
}

/** Which conversations the list shows. */
const KINDS = {
  mine: {
    words: t('Mine'),
    nothing: t('No conversation is assigned to you.'),
    filter: () => pb.filter(`${OPEN} && assignee = {:sender}`, { sender: session.value?.sender }),
    ofTeam: true,
  },
  unassigned: {
    words: t('Unassigned'),
    nothing: t('Somebody takes care of each conversation.'),
    filter: () => `${OPEN} && assignee = ""`,
    ofTeam: true,
  },
  mentions: {
    words: t('Mentions'),
    nothing: t('No note mentions you.'),
    filter: () =>
      pb.filter('conversation_notes_via_conversation.mentions ?~ {:sender}', {
        sender: session.value?.sender,
      }),
    ofTeam: true,
  },
  all: {
    words: t('All'),
    nothing: t('Texts that come in on your devices appear here, with your answers.'),
    filter: () => OPEN,
  },
  waiting: { words: t('Waiting'), nothing: t('Nobody waits for an answer.'), filter: () => WAITS },
  follow_up: {
    words: t('Follow-up'),
    nothing: t('There are no reminders.'),
    filter: () => 'follow_up_at != ""',
    sort: 'follow_up_at',
  },
  archived: {
    words: t('Archived'),
    nothing: t('Nothing is archived.'),
    filter: () => 'archived = true && blocked = false',
  },
  blocked: { words: t('Blocked'), nothing: t('Nobody is blocked.'), filter: () => 'blocked = true' },
} as const satisfies Readonly<Record<string, Kind>>

export type View = keyof typeof KINDS
export const VIEWS: Readonly<Record<View, Kind>> = KINDS

export const viewsFor = (hasTeam: boolean): View[] =>
  (Object.keys(KINDS) as View[]).filter((view) => hasTeam || !VIEWS[view].ofTeam)
