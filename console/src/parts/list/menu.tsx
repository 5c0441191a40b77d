import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import './menu.css'
import { Button } from '../form/form.tsx'
import type { IconName } from '../icon.tsx'
import { moveFocus } from './arrows.ts'

const FOCUSABLE = ':scope > .menu-panel :is(a[href], :enabled)'

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
  quiet = false,
  primary = false,
  floats = false,
  children,
}: {
  words: string
  icon?: IconName
  iconOnly?: boolean
  /** The key that presses the button. */
  shortcut?: string
  disabled?: boolean
  quiet?: boolean
  primary?: boolean
  /** Whether the panel is above everything, as in a table, whose frame would cut it. */
  floats?: boolean
  children: (close: () => void) => ComponentChildren
}) {
  const [isOpen, setOpen] = useState(false)
  const element = useRef<HTMLDivElement>(null)
  const isByKey = useRef(false)
  const id = useId()
  // a menu in a menu closes with it: nothing moves under the pointer
  const isOutside = (target: EventTarget | null) =>
    !(element.current?.parentElement?.closest('.menu') ?? element.current)?.contains(target as Node)
  const leave = () => {
    setOpen(false)
    element.current?.querySelector('button')?.focus()
  }
  useEffect(() => {
    if (!isOpen) return
    const press = (event: Event) => {
      if (isOutside(event.target)) setOpen(false)
    }
    const scroll = (event: Event) => {
      if (floats && isOutside(event.target)) setOpen(false)
    }
    document.addEventListener('pointerdown', press)
    document.addEventListener('scroll', scroll, true)
    return () => {
      document.removeEventListener('pointerdown', press)
      document.removeEventListener('scroll', scroll, true)
    }
  }, [isOpen])
  useLayoutEffect(() => {
    if (isOpen) (floats ? floatPanel : keepInPage)(element.current!)
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
        if (event.relatedTarget && isOutside(event.relatedTarget)) setOpen(false)
      }}
    >
      <Button
        kind={primary ? 'primary' : quiet ? 'quiet' : 'plain'}
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
        <div class="popup menu-panel" id={id} tabIndex={-1} popover={floats ? 'manual' : undefined}>
          {children(leave)}
        </div>
      )}
    </div>
  )
}

/** Moves the panel of a menu near the page's edge into the page. */
function keepInPage(menu: HTMLElement): void {
  const panel = menu.querySelector<HTMLElement>('.menu-panel')!
  const page = menu.closest('main')?.getBoundingClientRect()
  const { left, right } = panel.getBoundingClientRect()
  const isRight = getComputedStyle(menu).direction === 'rtl'
  const room = isRight ? (page?.right ?? innerWidth) - right : left - (page?.left ?? 0)
  if (room < 0) panel.style.insetInlineEnd = `calc(${room}px - var(--space-4))`
}

/** Shows the panel of a menu in the browser's top layer, below its button, or above it near the bottom. */
function floatPanel(menu: HTMLElement): void {
  const panel = menu.querySelector<HTMLElement>('.menu-panel')!
  if (!('showPopover' in panel)) return // Firefox before 125: the panel is in the table
  panel.showPopover()
  const button = menu.querySelector('button')!.getBoundingClientRect()
  const isAbove =
    button.bottom + panel.offsetHeight > innerHeight && button.top > panel.offsetHeight
  const isRight = getComputedStyle(menu).direction === 'rtl'
  const { clientWidth, clientHeight } = document.documentElement
  const right = clientWidth - (isRight ? button.left + panel.offsetWidth : button.right)
  panel.style.inset = 'auto'
  if (isAbove) panel.style.bottom = `${clientHeight - button.top}px`
  else panel.style.top = `${button.bottom}px`
  panel.style.right = `${Math.max(0, Math.min(right, clientWidth - panel.offsetWidth))}px`
}
