import { session } from '../session.ts'

/** Lists that were read last, for pages that are opened without a connection. */
const lists = new Map<string, unknown>()
const MOST = 40

const makeListKey = (question: string) =>
  `${session.value?.record.id} ${session.value?.sender} ${question}`

export function keepList(question: string, list: unknown): void {
  const key = makeListKey(question)
  lists.delete(key)
  lists.set(key, list)
  for (const oldest of lists.keys()) {
    if (lists.size <= MOST) break
    lists.delete(oldest)
  }
}

/** The list that `keepList` got last for this question; undefined if none. */
export const findKeptList = <T>(question: string): T | undefined =>
  lists.get(makeListKey(question)) as T | undefined
