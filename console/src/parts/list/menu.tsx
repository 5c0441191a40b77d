import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import './menu.css'
import { Button } from '../form/form.tsx'
import type { IconName } from '../icon.tsx'
import { moveFocus } from './arrows.ts'

const FOCUSABLE = '.menu-panel :is(a[href], :enabled)'

/**
 * A button that opens a panel below it. `children` render the panel and get a function that closes it.
 * Escape, a click elsewhere or leaving by Tab close it, too. After Escape the button has the focus. When a
 * key opens the panel, its first button or field gets the focus; the arrows move from button to button.
 */
export function Menu({
  words,
  icon,
  iconOnly,
  shortcut,
  disabled = false,
  children,
}: {
  words: string
  icon?: IconName
  iconOnly?: boolean
  /** The key that presses the button. */
  shortcut?: string
  disabled?: boolean
  children: (close: () => void) => ComponentChildren
}) {
  const [isOpen, setOpen] = useState(false)
  const element = useRef<HTMLDivElement>(null)
  const isByKey = useRef(false)
  const id = useId()
  const leave = () => {
    setOpen(false)
    element.current?.querySelector('button')?.focus()
  }
  useEffect(() => {
    if (!isOpen) return
    const press = (event: Event) => {
      if (!element.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', press)
    return () => document.removeEventListener('pointerdown', press)
  }, [isOpen])
  useLayoutEffect(() => {
    if (isOpen && isByKey.current) element.current?.querySelector<HTMLElement>(FOCUSABLE)?.focus()
  }, [isOpen])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of what is in it come here
    <div
      class="menu"
      ref={element}
      onKeyDown={(event) => {
        if (!isOpen) return
        moveFocus(event)
        if (event.key !== 'Escape') return
        event.preventDefault()
        leave()
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
        disabled={disabled}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={(event) => {
          isByKey.current = event.detail === 0
          setOpen(!isOpen)
        }}
      >
        {words}
      </Button>
      {isOpen && (
        <div class="popup menu-panel" id={id} tabIndex={-1}>
          {children(leave)}
        </div>
      )}
    </div>
  )
}
