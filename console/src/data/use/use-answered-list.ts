import { type Answer, useAnswer } from './use-answer.ts'
import { useRows } from './use-rows.ts'

const FIRST_ROWS = 30

interface Answered<T> {
  readonly items: readonly T[]
  readonly page: number
  readonly totalItems: number
  readonly totalPages: number
}

/** Items as a pager takes them. */
interface AnsweredList<T> {
  readonly items: readonly T[]
  readonly page: number
  readonly pages: number
  readonly total: number
  readonly grow: (() => void) | undefined
}

/** A list that GET `path` answers, newest first, and more of it when it grows. */
export function useAnsweredList<T>(path: string, filter: string, page: number): Answer<AnsweredList<T>> {
  const [rows, grow] = useRows(path + filter, FIRST_ROWS, page)
  const asked = { filter, sort: '-created,-@rowid', page: String(page), perPage: String(rows) }
  const { value, ...answer } = useAnswer<Answered<T>>(`${path}?${new URLSearchParams(asked)}`)
  if (!value) return { ...answer, value }
  const { items, totalItems: total, totalPages } = value
  const isMore = items.length === rows && total > rows
  const list = {
    items,
    page: value.page,
    total,
    pages: grow ? 1 : totalPages,
    grow: isMore ? grow : undefined,
  }
  return { ...answer, value: list }
}
