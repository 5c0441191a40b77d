import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from '../form/button.tsx'
import { Actions } from '../form/form.tsx'

/**
 * A modal dialog; render it while it is open. The browser keeps the focus in it and gives it back at the end;
 * Escape and the cross call `onClose`.
 */
export function Dialog({
  title,
  onClose,
  children,
  wide,
}: {
  title: string
  onClose: () => void
  children: ComponentChildren
  wide?: boolean
}) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" iconOnly onClick={onClose}>
          Close
        </Button>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}

interface Question {
  readonly title: string
  readonly text: ComponentChildren
  /** The words of the button that does it. */
  readonly action: string
  readonly danger?: boolean
}

const asked = signal<(Question & { answer: (yes: boolean) => void }) | undefined>(undefined)

/**
 * Asks before something that cannot be taken back: `if (await confirmed({ title, text, action: 'Delete',
 * danger: true })) …`
 */
export const confirmed = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    asked.value = {
      ...question,
      answer: (yes) => {
        asked.value = undefined
        resolve(yes)
      },
    }
  })

/** Where questions of `confirmed` show; the shell has it once. */
export function Questions() {
  const question = asked.value
  if (!question) return null
  return (
    <Dialog title={question.title} onClose={() => question.answer(false)}>
      <p>{question.text}</p>
      <Actions>
        <Button kind={question.danger ? 'danger' : 'primary'} onClick={() => question.answer(true)}>
          {question.action}
        </Button>
        <Button onClick={() => question.answer(false)}>Cancel</Button>
      </Actions>
    </Dialog>
  )
}
