import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { faultOf, faultText } from '../data/fault.ts'
import { t } from '../language/words.ts'
import { Button } from './form/button.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  readonly isFault: boolean
  readonly undo?: (() => void) | undefined
}

const SHOWN_MS = 5_000
const FAULT_MS = 10_000

const toasts = signal<readonly Toast[]>([])
let count = 0

/** Shows a short confirmation, which screen readers read out: `toast('Contact saved')`. `undo` reverts it. */
export const toast = (text: string, undo?: () => void) => show(text, false, undo)

/** Shows the fault of an action that has no form. */
export const toastFault = (error: unknown) => show(faultText(faultOf(error)), true)

function show(text: string, isFault: boolean, undo?: () => void): void {
  const id = ++count
  toasts.value = [...toasts.value, { id, text, isFault, undo }]
  setTimeout(() => drop(id), isFault ? FAULT_MS : SHOWN_MS)
}

function drop(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id)
}

/** Renders the toasts. The shell contains it once. A popover, since open dialogs cover everything else. */
export function Toasts() {
  const element = useRef<HTMLDivElement>(null)
  const last = toasts.value.at(-1)?.id
  useEffect(() => {
    const popover = element.current
    // the last shown popover is on top
    if (popover?.matches(':popover-open') && document.querySelector('dialog[open]')) popover.hidePopover()
    if (!popover?.matches(':popover-open')) popover?.showPopover()
  }, [last])
  return (
    <div ref={element} class="toasts" popover="manual" aria-live="polite" role="status">
      {toasts.value.map(({ id, text, isFault, undo }) => (
        <div key={id} class={isFault ? 'toast wrong' : 'toast'}>
          <span>{text}</span>
          {undo && (
            <Button
              kind="quiet"
              onClick={() => {
                drop(id)
                undo()
              }}
            >
              {t('Undo')}
            </Button>
          )}
          <Button kind="quiet" icon="close" iconOnly onClick={() => drop(id)}>
            {t('Dismiss')}
          </Button>
        </div>
      ))}
    </div>
  )
}
