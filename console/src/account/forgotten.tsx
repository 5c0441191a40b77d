import { useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { NO_MAIL, useSetup } from '../data/setup.ts'
import { writeEmail } from '../data/text/write-email.ts'
import { useTask } from '../data/use/use-task.ts'
import { t } from '../language/words.ts'
import { Button, ButtonLink, Form, Notice } from '../parts/form/form.tsx'
import { makePageHref } from '../router.ts'
import { EmailField, PageFrame } from './page-frame.tsx'
import { findSignInCollection, RoleSwitch } from './role-switch.tsx'

export function Page() {
  const [email, setEmail] = useState('')
  const [isDone, setDone] = useState(false)
  const ask = useTask(async () => {
    // stored addresses keep their case: only programs store capital letters
    for (const one of new Set([email, writeEmail(email)]))
      await pb.collection(findSignInCollection()).requestPasswordReset(one)
    setDone(true)
  })
  const { value: setup } = useSetup()
  if (isDone)
    return (
      <PageFrame
        title={setup?.sends_mail === false ? t('No mail goes out') : t('Check your mail')}
        text={
          setup?.sends_mail === false
            ? `${NO_MAIL} ${t('Ask one of them to look there, or to set a new password for you.')}`
            : t('If {email} has an account here, a link to set a new password is on its way.', {
                email,
              })
        }
      >
        <ButtonLink href={makePageHref('/')}>{t('Back to the sign-in')}</ButtonLink>
      </PageFrame>
    )
  return (
    <PageFrame
      title={t('Forgotten your password?')}
      text={
        setup?.sends_mail === false ? undefined : t('You get a mail with a link to set a new one.')
      }
    >
      {setup?.sends_mail === false && <Notice kind="warning">{NO_MAIL}</Notice>}
      <Form onSubmit={ask.run} fault={ask.fault} names={['email']}>
        <RoleSwitch />
        <EmailField value={email} onValue={setEmail} fault={ask.fault} />
        <Button type="submit" kind="primary" busy={ask.busy}>
          {setup?.sends_mail === false ? t('Create the link') : t('Send the mail')}
        </Button>
        <a class="aside" href={makePageHref('/')}>
          {t('Back to the sign-in')}
        </a>
      </Form>
    </PageFrame>
  )
}
