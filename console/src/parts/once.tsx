import type { ComponentChildren } from 'preact'
import { t } from '../language/words.ts'
import { CodeBlock } from './code.tsx'
import { Dialog } from './dialog/dialog.tsx'
import { Actions, Button, Notice } from './form/form.tsx'

/** Shows a new secret once, for copying, until the button is pressed. Without `secret`, `children` has it. */
export const ShownOnce = ({
  title,
  secret,
  onClose,
  children,
}: {
  title: string
  secret?: string
  onClose: () => void
  children?: ComponentChildren
}) => (
  <Dialog title={title} wide>
    <Notice kind="warning">
      {t('Copy it now: it is shown this once. The server itself cannot show it again.')}
    </Notice>
    {secret !== undefined && <CodeBlock code={secret} />}
    {children}
    <Actions>
      <Button kind="primary" onClick={onClose}>
        {t('I have copied it')}
      </Button>
    </Actions>
  </Dialog>
)
