import type { Task } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Button } from './button.tsx'
import { Notice } from './form.tsx'
import './hold-notice.css'

/** "Sending in 8 s", and a button that undoes it. */
export const HoldNotice = ({ left, undo }: { left: number; undo: Task<[]> }) => (
  <Notice kind="warning">
    <span class="hold">
      <strong role="timer">{t('Sending in {left} s', { left })}</strong>
      <Button icon="again" busy={undo.busy} onClick={() => void undo.run()}>
        {t('Undo')}
      </Button>
    </span>
    {undo.fault && <p role="alert">{undo.fault.message}</p>}
  </Notice>
)
