import { useRef } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { isOnline } from '../../data/line/line.ts'
import type { Message } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { isPerson } from '../../data/team/people.ts'
import { t } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'

const MOST = 20

/**
 * Asks before sending if another member has answered since typing began. `newest`: creation time of the
 * newest text, by the server's clock; undefined until it is known.
 */
export function useCollision({
  number,
  newest,
  hasTeam,
  isTyping,
}: {
  number: string
  newest: string | undefined
  hasTeam: boolean
  isTyping: boolean
}): () => Promise<boolean> {
  const since = useRef<string>(undefined)
  if (!isTyping) since.current = undefined
  else since.current ??= newest
  return async () => {
    const begun = since.current
    if (!hasTeam || !isOnline.value || begun === undefined) return true
    const filter = pb.filter('message_type = "outgoing" && to = {:number} && created > {:begun}', {
      number,
      begun,
    })
    const options = { filter, sort: '-created', expand: 'sent_by', skipTotal: true }
    const texts = pb.collection<Message>('sms_messages')
    // offline, others' answers are unknown
    const { items } = await texts.getList(1, MOST, options).catch(() => ({ items: [] as Message[] }))
    const theirs = items.find(
      ({ sent_by, expand }) => sent_by !== session.value?.sender && isPerson(expand?.sent_by),
    )
    if (!theirs) return true
    const sure = await confirmed({
      title: t('{name} has answered meanwhile', { name: theirs.expand?.sent_by?.name ?? '' }),
      text: <blockquote class="conversations-theirs">{theirs.body}</blockquote>,
      action: t('Send anyway'),
      keep: t('Not yet'),
      careful: true,
    })
    // do not ask again about the same answer
    if (sure) since.current = theirs.created
    return sure
  }
}
