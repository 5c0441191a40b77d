import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import './menu.css'
import { Button } from '../form/form.tsx'
import type { IconName } from '../icon.tsx'

/**
 * A button that opens a panel below it. `children` render the panel and get a function that closes it.
 * Escape, a click elsewhere or leaving by Tab close it, too. After Escape the button has the focus.
 */
export function Menu({
  words,
  icon,
  iconOnly,
  shortcut,
  children,
}: {
  words: string
  icon?: IconName
  iconOnly?: boolean
  /** The key that presses the button. */
  shortcut?: string | undefined
  children: (close: () => void) => ComponentChildren
}) {
  const [isOpen, setOpen] = useState(false)
  const element = useRef<HTMLDivElement>(null)
  const id = useId()
  const leave = (back: boolean) => {
    setOpen(false)
    if (back) element.current?.querySelector('button')?.focus()
  }
  useEffect(() => {
    if (!isOpen) return
    const press = (event: Event) => {
      if (!element.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', press)
    return () => document.removeEventListener('pointerdown', press)
  }, [isOpen])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of what is in it come here
    <div
      class="menu"
      ref={element}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return
        event.preventDefault()
        leave(true)
      }}
      onFocusOut={(event) => {
        const next = event.relatedTarget as Node | null
        if (next && !element.current?.contains(next)) setOpen(false)
      }}
    >
      <Button
        icon={icon}
        iconOnly={iconOnly}
        aria-keyshortcuts={shortcut}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {words}
      </Button>
      {isOpen && (
        <div class="menu-panel" id={id} tabIndex={-1}>
          {children(() => leave(true))}
        </div>
      )}
    </div>
  )
}
