import type { Watched } from '../../data/use/use-record.ts'
import { t } from '../../language/words.ts'
import { Button, ButtonLink } from '../form/form.tsx'
import type { IconName } from '../icon.tsx'
import { Loading, Page } from '../page.tsx'
import { Empty } from './empty.tsx'

/**
 * Shows that a record is loading, or why it cannot be read. After a 404, shows `gone` and a link to the list.
 * After other errors, shows the error and a button to retry. With `title`, renders a whole page.
 */
export function Missing({
  read,
  title,
  ...rest
}: {
  read: Watched<unknown>
  title?: string
  icon: IconName
  gone: string
  all: readonly [href: string, words: string]
}) {
  if (read.loading) return <Loading />
  const reason = <Reason {...read} {...rest} />
  return title ? <Page title={title}>{reason}</Page> : reason
}

const Reason = ({
  icon,
  gone,
  all: [href, words],
  fault,
  reload,
}: Pick<Parameters<typeof Missing>[0], 'icon' | 'gone' | 'all'> & Watched<unknown>) =>
  !fault || fault.status === 404 ? (
    <Empty icon={icon} title={gone} action={<ButtonLink href={href}>{words}</ButtonLink>}>
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
