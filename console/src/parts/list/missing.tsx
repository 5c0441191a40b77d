import type { ComponentChildren } from 'preact'
import type { Fault } from '../../data/fault.ts'
import { t } from '../../language/words.ts'
import { Button } from '../form/button.tsx'
import type { IconName } from '../icon.tsx'
import { Empty } from './empty.tsx'

/**
 * Shown instead of a record that could not be read: `gone` and `action` after a 404, else the fault and a
 * button that tries again.
 */
export const Missing = ({
  icon,
  gone,
  action,
  record: { fault, reload },
}: {
  icon: IconName
  gone: string
  action: ComponentChildren
  record: { readonly fault: Fault | undefined; reload(): Promise<void> }
}) =>
  !fault || fault.status === 404 ? (
    <Empty icon={icon} title={gone} action={action}>
      {t('It was deleted, or it is not yours.')}
    </Empty>
  ) : (
    <Empty
      icon="warning"
      title={t('This page could not be loaded')}
      action={
        <Button kind="primary" icon="again" onClick={() => void reload()}>
          {t('Try again')}
        </Button>
      }
    >
      {fault.message}
    </Empty>
  )
