import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useDraft } from '../data/use/use-draft.ts'
import { t } from '../language/words.ts'
import { CodeBlock } from './code.tsx'
import { Dialog } from './dialog/dialog.tsx'
import { Actions, Button, Notice } from './form/form.tsx'

const UNCOPIED = {
  title: t('Leave without copying it?'),
  text: t('It is shown this once.'),
  action: t('Leave without it'),
}

/**
 * Shows a new secret once, for copying, until the button is pressed; asks before the page is left. Without
 * `secret`, `children` has it.
 */
export function ShownOnce({
  title,
  secret,
  onClose,
  children,
}: {
  title: string
  secret?: string
  onClose: () => void
  children?: ComponentChildren
}) {
  const draft = useDraft('shown-once', { shown: '' }, { asks: UNCOPIED, secrets: ['shown'] })
  useEffect(() => draft.change({ shown: title }), [])
  const close = () => {
    draft.discard()
    onClose()
  }
  return (
    <Dialog title={title} wide>
      <Notice kind="warning">
        {t('Copy it now: it is shown this once. The server itself cannot show it again.')}
      </Notice>
      {secret !== undefined && <CodeBlock code={secret} />}
      {children}
      <Actions>
        <Button kind="primary" onClick={close}>
          {t('I have copied it')}
        </Button>
      </Actions>
    </Dialog>
  )
}
