import { useEffect, useRef, useState } from 'preact/hooks'
import { filterNotShown } from '../../../data/connection/on-the-way.ts'
import { discardUnsent, listTextsOnTheWay, type Unsent } from '../../../data/connection/outbox.ts'
import type { Note } from '../../../data/record-types.ts'
import { session } from '../../../data/session.ts'
import { isColleague } from '../../../data/team/people.ts'
import type { About } from '../side-panel.tsx'
import type { ThreadTexts } from './use-thread.ts'

/**
 * The texts on the way that the thread has not read. Forgets the others. `rival`: the name of a colleague who
 * has sent a text at the same time: one that the thread did not show before; '' after `forgetRival`.
 */
export function useOnTheWay(
  { number, conversation }: About,
  { texts, catchUp }: ThreadTexts,
  notes: readonly Note[],
): { unsent: readonly Unsent[]; rival: string; forgetRival: () => void } {
  const [rival, setRival] = useState('')
  const all = listTextsOnTheWay(number)
  const left = filterNotShown(all, texts, notes, session.value?.sender ?? '')
  const accepted = all.filter(({ message }) => message)
  const read = accepted.filter((text) => !left.includes(text))
  /**
   * Time of the newest text when the thread was opened: what is older is no news. If a text waited already,
   * that of the newest text that its writer had seen.
   */
  const since = useRef('')
  since.current ||= all[0]?.after ?? conversation?.last_at ?? ''
  useEffect(() => {
    if (accepted.length > 0) catchUp()
  }, [joinKeys(accepted)])
  useEffect(() => {
    for (const text of read) {
      const isNews = (created: string) => created > text.after && created > since.current
      const theirs =
        !text.note &&
        texts.find((each) => isNews(each.created) && isColleague(each.expand?.sent_by))
      if (theirs) {
        since.current = theirs.created
        setRival(theirs.expand?.sent_by?.name ?? '')
      }
      discardUnsent(text)
    }
  }, [joinKeys(read)])
  return { unsent: left, rival, forgetRival: () => setRival('') }
}

const joinKeys = (texts: readonly Unsent[]) => texts.map(({ key }) => key).join()
