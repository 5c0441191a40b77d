import { useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { useTask } from '../data/use/use-task.ts'
import { t } from '../language/words.ts'
import type { PageProps } from '../pages.ts'
import { Button, ButtonLink } from '../parts/form/button.tsx'
import { Form } from '../parts/form/form.tsx'
import { to } from '../router.ts'
import { BrokenLink } from './broken-link.tsx'
import { Sheet } from './sheet.tsx'
import { collectionOf } from './token.ts'

/** Confirms an email address. Needs a click on a button, since mail scanners follow links. */
export function Page({ params: { token = '' } }: PageProps) {
  const collection = collectionOf(token)
  const [isDone, setDone] = useState(false)
  const confirm = useTask(async () => {
    await pb.collection(collection ?? '').confirmVerification(token)
    setDone(true)
  })
  if (!collection) return <BrokenLink />
  if (isDone)
    return (
      <Sheet title={t('Your email address is confirmed')}>
        <ButtonLink kind="primary" href={to('/')}>
          {t('Go to the console')}
        </ButtonLink>
      </Sheet>
    )
  return (
    <Sheet title={t('Confirm your email address')}>
      <Form onSubmit={confirm.run} fault={confirm.fault}>
        <Button type="submit" kind="primary" busy={confirm.busy}>
          {t('Confirm')}
        </Button>
      </Form>
    </Sheet>
  )
}
