import type { ComponentChildren } from 'preact'
import { t } from '../language/words.ts'
import { Icon } from '../parts/icon.tsx'
import './step.css'

/** An item of a list of steps, with a check mark once it is done. */
export const Step = ({ done, children }: { done: boolean; children: ComponentChildren }) => (
  <li class={done ? 'done' : ''}>
    <span class="step-mark">{done && <Icon name="check" size={14} />}</span>
    <span>
      {children}
      {done && <span class="unseen"> {t('Done.')}</span>}
    </span>
  </li>
)
