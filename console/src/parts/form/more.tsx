import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Rarely needed fields, folded. Opens by itself when one of them `isWrong`. */
export function More({
  summary,
  isWrong,
  children,
}: {
  summary: string
  isWrong: boolean
  children: ComponentChildren
}) {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (isWrong) setOpen(true)
  }, [isWrong])
  return (
    <details class="more" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {children}
    </details>
  )
}
