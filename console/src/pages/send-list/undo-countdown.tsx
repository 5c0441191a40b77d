import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useSecondsLeft } from '../../data/use/use-seconds-left.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { HoldNotice } from '../../parts/form/send-notices.tsx'
import { toast } from '../../parts/toast.tsx'

const HOLD_MS = 10_000

/**
 * The countdown before a long list is sent. The server has nothing yet: leaving the page cancels the send.
 */
export function UndoCountdown({ onOver, onUndo }: { onOver: () => void; onUndo: () => void }) {
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
