import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { describeFault, readFault } from '../data/fault.ts'
import { hasKeyboard } from '../data/use/media-queries.ts'
import { t } from '../language/words.ts'
import { Button } from './form/form.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  readonly isFault: boolean
  readonly undo?: () => void
  /** The URL of the page that the toast is about. */
  readonly href?: string
  /** Called when the toast disappears and the user did not press Undo. */
  readonly then?: () => void
  /** When it disappears, in ms since 1970. */
  readonly ends: number
}

const SHOWN_MS = 5_000
const LONG_MS = 10_000
const HELD_MS = 1_000
/** A timer may be so early. */
const EARLY_MS = 50
/** More would cover too much: the oldest disappears. */
const MOST = 3

const toasts = signal<readonly Toast[]>([])
let count = 0

/**
 * Shows a confirmation, also to screen readers. `undo` reverts the action; if not undone, `then` runs.
 * `shownMs`: for how long.
 */
export const showToast = (
  text: string,
  undo?: () => void,
  then?: () => void,
  shownMs: number = SHOWN_MS,
) => addToast(text, false, { undo, then }, shownMs)

/** Shows news with a link, for longer than a confirmation. */
export const showToastLink = (text: string, href: string) =>
  addToast(text, false, { href }, LONG_MS)

/** Shows the error of an action that has no form to show it. */
export const showToastFault = (error: unknown) =>
  addToast(describeFault(readFault(error)), true, {}, LONG_MS)

/** Runs an action that has no form. Shows `said`, or the error. Returns whether it succeeded. */
export const runWithToast = (work: () => Promise<unknown>, said = ''): Promise<boolean> =>
  work().then(
    () => {
      if (said) showToast(said)
      return true
    },
    (error) => {
      showToastFault(error)
      return false
    },
  )

function addToast(
  text: string,
  isFault: boolean,
  { undo, then, href }: Pick<Toast, 'undo' | 'then' | 'href'>,
  shownMs: number,
): void {
  const id = ++count
  const ends = Date.now() + shownMs
  // the same error once: a lost server refuses several requests at a time
  const others = toasts.value.filter((each) => !(isFault && each.isFault && each.text === text))
  toasts.value = [...others, { id, text, isFault, undo, then, href, ends }]
  if (toasts.value.length > MOST) removeToast(toasts.value[0]!.id)
  setTimeout(dropEnded, ends - Date.now())
}

/** Removes the toasts whose time has passed. While the pointer or the focus is on the toasts, they wait. */
function dropEnded(): void {
  const isHeld = hasKeyboard.value && document.querySelector('.toasts:is(:hover, :focus-within)')
  if (isHeld) setTimeout(dropEnded, HELD_MS)
  else for (const { id, ends } of toasts.value) if (ends <= Date.now() + EARLY_MS) removeToast(id)
}

function removeToast(id: number, isUndone = false): void {
  const gone = toasts.value.find((each) => each.id === id)
  toasts.value = toasts.value.filter((each) => each !== gone)
  if (isUndone) gone?.undo?.()
  else gone?.then?.()
}

/** Renders the toasts; App contains it once. They are in a popover, to be above open dialogs. */
export function Toasts() {
  const element = useRef<HTMLDivElement>(null)
  const last = toasts.value.at(-1)?.id
  useEffect(() => {
    const popover = element.current
    // closes the popover and opens it again, because the element opened last is on top
    if (popover?.matches(':popover-open') && document.querySelector('dialog[open]'))
      popover.hidePopover()
    if (!popover?.matches(':popover-open')) popover?.showPopover()
  }, [last])
  return (
    <div ref={element} class="toasts" popover="manual" aria-live="polite" role="status">
      {toasts.value.map(({ id, text, isFault, undo, href }) => (
        <div key={id} class={isFault ? 'toast wrong' : 'toast'}>
          <span>{text}</span>
          {href && (
            <a class="button quiet" href={href} onClick={() => removeToast(id)}>
              {t('Open')}
            </a>
          )}
          {undo && (
            <Button kind="quiet" onClick={() => removeToast(id, true)}>
              {t('Undo')}
            </Button>
          )}
          <Button kind="quiet" icon="close" iconOnly onClick={() => removeToast(id)}>
            {t('Dismiss')}
          </Button>
        </div>
      ))}
    </div>
  )
}
