import { ClientResponseError } from 'pocketbase'
import { useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { hasExpired } from '../data/session.ts'
import { useTask } from '../data/use/use-task.ts'
import { Button } from '../parts/form/button.tsx'
import { TextField } from '../parts/form/field.tsx'
import { Form, Notice } from '../parts/form/form.tsx'
import { to } from '../router.ts'
import { EmailField } from './email-field.tsx'
import { accounts, RoleSwitch } from './role-switch.tsx'
import { SecondStep } from './second-step.tsx'
import { Sheet } from './sheet.tsx'

const WRONG = 'Email or password is wrong.'

/** What a sign-in with a second step waits for. */
export interface Step {
  readonly mfaId: string
  readonly otpId: string
  readonly email: string
}

/** The sign-in. The address stays, so that it leads to the page that was asked for. */
export function SignIn() {
  const [step, setStep] = useState<Step>()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const enter = useTask(async () => setStep(await signIn(email, password)))
  if (step) return <SecondStep step={step} onBack={() => setStep(undefined)} />
  const { fault } = enter
  const told = fault?.status === 400 ? { ...fault, message: WRONG, fields: {} } : fault
  return (
    <Sheet title="Sign in">
      {hasExpired.value && <Notice>Your session has ended. Sign in to go on where you were.</Notice>}
      <Form onSubmit={enter.run} fault={told}>
        <RoleSwitch />
        <EmailField value={email} onValue={setEmail} />
        <TextField
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          value={password}
          onValue={setPassword}
        />
        <Button type="submit" kind="primary" busy={enter.busy}>
          Sign in
        </Button>
        <a class="aside" href={to('/forgotten')}>
          Forgotten your password?
        </a>
      </Form>
    </Sheet>
  )
}

/** Signs in; answers the second step if the collection wants one, for which a code is then mailed. */
async function signIn(email: string, password: string): Promise<Step | undefined> {
  const collection = pb.collection(accounts())
  try {
    await collection.authWithPassword(email, password)
    return undefined
  } catch (error) {
    const mfaId = error instanceof ClientResponseError ? error.response.mfaId : undefined
    if (!mfaId) throw error
    const { otpId } = await collection.requestOTP(email)
    return { mfaId, otpId, email }
  }
}
