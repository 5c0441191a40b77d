import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { segmentsText } from '../../data/text/text-size.ts'
import { useSecondsLeft } from '../../data/use/use-seconds-left.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tn, tx } from '../../language/words.ts'
import { confirmedForMany, peopleWords } from '../../parts/dialog/many-people.tsx'
import { HoldNotice } from '../../parts/form/hold-notice.tsx'
import { formatDateTime } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { ListCost } from './list-cost.tsx'
import type { ListText } from './list-rows.ts'

const HOLD_MS = 10_000

/**
 * The countdown before a long list is sent. The server has nothing yet: leaving the page cancels the send.
 */
export function ListHold({ onOver, onUndo }: { onOver: () => void; onUndo: () => void }) {
  const [endMs] = useState(() => performance.now() + HOLD_MS)
  const left = useSecondsLeft(endMs)
  const isOver = left <= 0
  const box = useRef<HTMLDivElement>(null)
  const undo = useTask(async () => {
    onUndo()
    toast(t('Undone: nobody gets it'))
  })
  useEffect(() => box.current?.querySelector('button')?.focus(), [])
  // a layout effect, so that no click on "Undo" comes between the end of the countdown and the send
  useLayoutEffect(() => {
    if (isOver) onOver()
  }, [isOver])
  return <div ref={box}>{!isOver && <HoldNotice left={left} undo={undo} />}</div>
}

/** Asks the user before many texts are sent. `scheduledAt`: the time to send them; '' for now. */
export function isListConfirmed(texts: readonly ListText[], scheduledAt: string): Promise<boolean> {
  const first = texts[0]!
  const people = new Set(texts.map(({ phone }) => phone)).size
  const segments = texts.reduce((sum, text) => sum + text.segments, 0)
  return confirmedForMany({
    people,
    what: tx('{texts} go to {people}, which takes {segments} in all. The first text, to {number}:', {
      texts: <strong>{tn('1 text', '{count} texts', texts.length)}</strong>,
      people: <strong>{peopleWords(people)}</strong>,
      segments: <strong>{segmentsText(segments)}</strong>,
      number: first.phone,
    }),
    firstText: first.body,
    cost: <ListCost texts={texts} />,
    begins: scheduledAt
      ? t('They leave on {time}.', { time: formatDateTime(scheduledAt) })
      : t('They leave after 10 seconds, in which you can undo it.'),
    isLater: scheduledAt !== '',
  })
}
