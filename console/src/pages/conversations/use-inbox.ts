import { useMemo } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Label } from '../../data/labels.ts'
import { formatBounded, type InboxAnswer, inboxAnswer, type SavedView } from '../../data/unread.ts'
import { useCalm } from '../../data/use/use-calm.ts'
import { useLive } from '../../data/use/use-live.ts'
import { locale } from '../../language/language.ts'

export interface Inbox {
  /** Numbers of new conversations that have opted out. */
  readonly optedOut: readonly string[]
  readonly labels: readonly Label[]
  readonly views: readonly SavedView[]
}

const names = new Intl.Collator(locale)
const sortByName = <T extends { readonly name: string }>(all: readonly T[] = []) =>
  all.toSorted((a, b) => names.compare(a.name, b.name))

/** Changes within this time cause one request. */
const CALM_MS = 600

/** Opted-out numbers, the labels of the account, and the saved views of the person and the team, live. */
export function useInbox(): Inbox {
  const { value } = inboxAnswer
  const reload = useCalm(
    async () => {
      inboxAnswer.value = await pb.send<InboxAnswer>('/api/account/inbox', {}).catch(() => value)
    },
    () => CALM_MS,
  )
  useLive('contacts', '*', reload, () => {})
  useLive('labels', '*', reload, () => {})
  useLive('inbox_views', '*', reload, () => {})
  return useMemo(
    () => ({
      optedOut: value?.opted_out ?? [],
      labels: sortByName(value?.labels),
      views: sortByName(value?.views),
    }),
    [value],
  )
}

/** The highest count of a saved view that is shown. The server stops counting at one more. */
const MAX_SAVED_COUNT = 99

/** The count of a view's conversations as text; '' until it is read. */
export function formatViewCount(view: string): string {
  const answer = inboxAnswer.value
  const saved = answer?.views.find(({ id }) => id === view)
  const count = saved?.count ?? answer?.[view]
  if (typeof count !== 'number') return ''
  return saved ? formatBounded(count, MAX_SAVED_COUNT) : formatBounded(count)
}
