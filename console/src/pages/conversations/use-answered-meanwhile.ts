import { useRef } from 'preact/hooks'
import type { Message } from '../../data/record-types.ts'
import { isColleague } from '../../data/team/people.ts'
import { t } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'

/**
 * Returns a function to call before sending. If another member has answered since the user began to type, it
 * asks the user, and returns false if the user declines. `texts`: newest first; undefined until loaded.
 */
export function useAnsweredMeanwhile(
  texts: readonly Message[] | undefined,
  isTyping: boolean,
): () => Promise<boolean> {
  const since = useRef<string>(undefined)
  if (!isTyping) since.current = undefined
  else since.current ??= texts && (texts[0]?.created ?? '')
  return async () => {
    const begun = since.current
    const theirs = texts?.find(
      ({ created, expand }) => begun !== undefined && created > begun && isColleague(expand?.sent_by),
    )
    if (!theirs) return true
    const sure = await confirmed({
      title: t('{name} has answered meanwhile', { name: theirs.expand?.sent_by?.name ?? '' }),
      text: theirs.body,
      action: t('Send anyway'),
      keep: t('Not yet'),
      careful: true,
    })
    // do not ask again about an answer that the user has seen
    if (sure) since.current = theirs.created
    return sure
  }
}
