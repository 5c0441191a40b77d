const OPEN = 'archived = false && blocked = false'

/** The filters of the conversations in each state of the inbox. A database index serves each. */
export const INBOX_STATES = {
  open: OPEN,
  waiting: 'unanswered = true && archived = false && follow_up_at = ""',
  failed: `failure != "" && failure != "Canceled" && ${OPEN}`,
  unread: `unread > 0 && ${OPEN}`,
  follow_up: 'follow_up_at != ""',
  archived: 'archived = true && blocked = false',
  blocked: 'blocked = true',
} as const

export type InboxState = keyof typeof INBOX_STATES

/** Values of `inbox_views.assignee` that are no id. */
export const BY_ME = 'me'
export const BY_NOBODY = 'nobody'

/** The choice of a saved view of the inbox. `labels`: ids, of which a conversation has at least one. */
export interface ViewConditions {
  readonly state: InboxState
  /** BY_ME, BY_NOBODY or the id of a sender; '' for all conversations. */
  readonly assignee: string
  readonly labels: readonly string[]
}

/** The `sort` of a list's query, by the `sort` of a saved view. */
export const VIEW_SORTS = {
  newest: '-last_at',
  oldest: 'last_at',
  follow_up: 'follow_up_at',
} as const

/** The ids of records, and BY_ME and BY_NOBODY. */
export const VIEW_ID = /^[a-z0-9]{1,15}$/

/** The filter that lists the conversations of a saved view for the person `me`, the id of a sender. */
export function writeViewFilter({ state, assignee, labels }: ViewConditions, me: string): string {
  const ids = labels.map((id) => `labels:each ?= "${id}"`)
  return [
    INBOX_STATES[state],
    assignee !== '' && `assignee = "${findAssignee(assignee, me)}"`,
    ids.length > 0 && `(${ids.join(' || ')})`,
  ]
    .filter(Boolean)
    .join(' && ')
}

/** The value of `conversations.assignee` that a view asks for. */
export const findAssignee = (assignee: string, me: string): string =>
  assignee === BY_ME ? me : assignee === BY_NOBODY ? '' : assignee
