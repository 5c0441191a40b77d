import { useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { NO_MAIL, useSetup } from '../data/setup.ts'
import { useTask } from '../data/use/use-task.ts'
import { t } from '../language/words.ts'
import { Button } from '../parts/form/button.tsx'
import { TextField } from '../parts/form/field.tsx'
import { Form } from '../parts/form/form.tsx'
import { accounts } from './role-switch.tsx'
import { Sheet } from './sheet.tsx'
import type { Step } from './sign-in.tsx'

/** The second step of a sign-in: the code of a mail. */
export function SecondStep({ step, onBack }: { step: Step; onBack: () => void }) {
  const [code, setCode] = useState('')
  const { value: setup } = useSetup()
  const enter = useTask(() =>
    pb.collection(accounts()).authWithOTP(step.otpId, code.trim(), { mfaId: step.mfaId }),
  )
  return (
    <Sheet
      title={t('One more step')}
      text={
        setup && (setup.sends_mail ? t('A code is on its way to {email}.', { email: step.email }) : NO_MAIL)
      }
    >
      <Form onSubmit={enter.run} fault={enter.fault}>
        <TextField
          label={t('Code')}
          name="code"
          inputMode="numeric"
          autocomplete="one-time-code"
          value={code}
          onValue={setCode}
        />
        <Button type="submit" kind="primary" busy={enter.busy}>
          {t('Sign in')}
        </Button>
        <Button kind="quiet" onClick={onBack}>
          {t('Back')}
        </Button>
      </Form>
    </Sheet>
  )
}
