import { useAnswer } from './use-answer.ts'
import type { List } from './use-list.ts'
import { useRows } from './use-rows.ts'

const FIRST_ROWS = 30

interface Answered<T> {
  readonly items: readonly T[]
  readonly totalItems: number
  readonly totalPages: number
}

/** A list that GET `path` answers, newest first, and more of it when it grows. */
export function useAnsweredList<T>(
  path: string,
  filter: string,
  page: number,
  goTo: (page: number) => void,
): List<T> {
  const [rows, grow] = useRows(path + filter, FIRST_ROWS, page)
  const asked = { filter, sort: '-created,-@rowid', page: String(page), perPage: String(rows) }
  const { value, isOld, fault, reload } = useAnswer<Answered<T>>(
    `${path}?${new URLSearchParams(asked)}`,
  )
  const { items = [], totalItems: total = 0, totalPages = 1 } = value ?? {}
  return {
    items,
    page,
    pages: grow ? 1 : totalPages,
    grow: items.length === rows && total > rows ? grow : undefined,
    total,
    isCounted: true,
    loading: (!value || (isOld && items.length === 0)) && !fault,
    fault,
    goTo,
    reload,
  }
}
