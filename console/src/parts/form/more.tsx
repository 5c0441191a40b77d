import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Hides rarely needed fields until the user opens them, or until one has an error (`isWrong`). */
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
