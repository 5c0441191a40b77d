import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { t } from '../../language/words.ts'
import { place } from '../../router.ts'
import { Actions, Button } from '../form/form.tsx'
import { runWithToast } from '../toast.tsx'

/** Elements that get the focus first, by priority: a marked element, a field, a button, a link, the title. */
const FIRST = [
  '[data-focus="true"], [autofocus]',
  '.dialog-body :is(.field, .check) :is(input, select, textarea):enabled',
  '.dialog-body .button:enabled:not(.danger, .quiet)',
  '.dialog-body :is(a[href], button:enabled)',
  'h2',
] as const

/**
 * A modal dialog, open while it is rendered. FIRST chooses the first focus, which is never the close button.
 * Escape and the close button call `onClose`; without it, neither closes. The browser keeps the focus inside
 * and restores it afterwards.
 */
export function Dialog({
  title,
  onClose,
  children,
  wide,
}: {
  title: string
  onClose?: () => void
  children: ComponentChildren
  wide?: boolean
}) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  // opens before the first paint, so that an Escape pressed immediately closes the dialog
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    if (dialog) findFirstFocus(dialog)?.focus()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      // Chromium closes a dialog at the second Escape, whatever the handler of the first one does
      closedby={onClose ? undefined : 'none'}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <header>
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {onClose && (
          <Button kind="quiet" icon="close" iconOnly onClick={onClose}>
            {t('Close')}
          </Button>
        )}
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}

function findFirstFocus(dialog: HTMLElement): HTMLElement | null | undefined {
  const first = FIRST.map((place) => dialog.querySelector<HTMLElement>(place)).find(
    (found) => found !== null,
  )
  // in a group of radio buttons, focuses the chosen one
  const chosen = first
    ?.closest('fieldset')
    ?.querySelector<HTMLElement>('input[type="radio"]:checked')
  return chosen ?? first
}

export interface Question {
  readonly title: string
  readonly text: ComponentChildren
  readonly action: string
  readonly keep?: string
  readonly danger?: boolean
  /** Focuses the cancel button, so that Enter does not confirm. Default: the value of `danger`. */
  readonly careful?: boolean
}

const asked = signal<(Question & { answer: (yes: boolean) => void }) | undefined>(undefined)

/** Asks for confirmation: `if (await askToConfirm({ title, text, action: t('Delete') })) …`. */
export const askToConfirm = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    asked.value = {
      ...question,
      answer: (yes) => {
        asked.value = undefined
        resolve(yes)
      },
    }
  })

/** Renders the dialogs of `askToConfirm`. App contains it once. Another page answers no. */
export function Questions() {
  const question = asked.value
  const { path } = place.value
  useEffect(() => () => asked.peek()?.answer(false), [path])
  if (!question) return null
  const { title, text, action, keep = t('Cancel'), danger, careful = danger, answer } = question
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      {typeof text === 'string' ? <p>{text}</p> : text}
      <Actions>
        <Button
          kind={danger ? 'danger' : 'primary'}
          data-focus={!careful}
          onClick={() => answer(true)}
        >
          {action}
        </Button>
        <Button data-focus={careful} onClick={() => answer(false)}>
          {keep}
        </Button>
      </Actions>
    </Dialog>
  )
}

/** Asks before a dangerous action, runs it (`work`) and shows the result. Calls `then` after a success. */
export async function runConfirmed(
  question: Question,
  work: () => Promise<unknown>,
  said?: string,
  then = () => {},
): Promise<void> {
  if (!(await askToConfirm({ danger: true, ...question }))) return
  if (await runWithToast(work, said)) then()
}

/** Deletes a record after confirmation, and shows the result. */
export const deleteRecord = (
  { collectionName, id }: { readonly collectionName: string; readonly id: string },
  question: Omit<Question, 'action'> & { readonly action?: string },
  said?: string,
  then?: () => void,
) => {
  const work = () => pb.collection(collectionName).delete(id)
  return runConfirmed({ action: t('Delete'), ...question }, work, said, then)
}
