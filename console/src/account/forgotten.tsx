import { useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { useTask } from '../data/use/use-task.ts'
import { Button, ButtonLink } from '../parts/form/button.tsx'
import { Form } from '../parts/form/form.tsx'
import { to } from '../router.ts'
import { EmailField } from './email-field.tsx'
import { accounts, RoleSwitch } from './role-switch.tsx'
import { Sheet } from './sheet.tsx'

/**
 * Asks for a mail with a link to set a new password. The answer is the same whether or not there is such an
 * account.
 */
export function Page() {
  const [email, setEmail] = useState('')
  const [isDone, setDone] = useState(false)
  const ask = useTask(async () => {
    await pb.collection(accounts()).requestPasswordReset(email)
    setDone(true)
  })
  if (isDone)
    return (
      <Sheet
        title="Look into your mail"
        text={`If ${email} has an account here, a link to set a new password is on its way.`}
      >
        <ButtonLink href={to('/')}>Back to the sign-in</ButtonLink>
      </Sheet>
    )
  return (
    <Sheet title="Forgotten your password?" text="You get a mail with a link to set a new one.">
      <Form onSubmit={ask.run} fault={ask.fault} names={['email']}>
        <RoleSwitch />
        <EmailField value={email} onValue={setEmail} fault={ask.fault} />
        <Button type="submit" kind="primary" busy={ask.busy}>
          Send the mail
        </Button>
        <a class="aside" href={to('/')}>
          Back to the sign-in
        </a>
      </Form>
    </Sheet>
  )
}
