import { useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { isPasskeyHost, signInByPasskey } from '../data/passkeys.ts'
import { NO_MAIL, useSetup } from '../data/setup.ts'
import { runOneAtATime, useTask } from '../data/use/use-task.ts'
import { t } from '../language/words.ts'
import { TextField } from '../parts/form/field.tsx'
import { Button, Form } from '../parts/form/form.tsx'
import { PageFrame } from './page-frame.tsx'
import { findSignInCollection } from './role-switch.tsx'

export interface Step {
  readonly mfaId: string
  /** With a second factor of their own, this is `mfaId`. */
  readonly otpId: string
  readonly email: string
  /** The person's own second factor; undefined if a code is mailed. */
  readonly method: 'totp' | 'passkey' | undefined
  readonly hasPasskey: boolean
}

/** The form for the second of two sign-in methods. */
export function SecondStep({ step, onBack }: { step: Step; onBack: () => void }) {
  const { method, hasPasskey, mfaId, otpId, email } = step
  const [code, setCode] = useState('')
  const { value: setup } = useSetup()
  const enter = useTask(() =>
    pb.collection(findSignInCollection()).authWithOTP(otpId, code.trim(), { mfaId }),
  )
  const sign = useTask(() => signInByPasskey(findSignInCollection(), mfaId))
  const sentTo =
    setup && (setup.sends_mail ? t('A code is on its way to {email}.', { email }) : NO_MAIL)
  const text = {
    totp: t('Enter the code of your authenticator app, or a recovery code.'),
    passkey: t('Use your passkey, or enter a recovery code.'),
  } as const
  return (
    <PageFrame title={t('One more step')} text={method ? text[method] : sentTo}>
      <Form onSubmit={() => runOneAtATime(enter, [sign])} fault={sign.fault ?? enter.fault}>
        {hasPasskey && isPasskeyHost(setup?.passkey_host) && (
          <Button
            kind={method === 'passkey' ? 'primary' : undefined}
            busy={sign.busy}
            onClick={() => runOneAtATime(sign, [enter])}
          >
            {t('Use the passkey')}
          </Button>
        )}
        <TextField
          label={method === 'passkey' ? t('Recovery code') : t('Code')}
          name="code"
          inputMode={method ? 'text' : 'numeric'}
          autocomplete="one-time-code"
          value={code}
          onValue={setCode}
        />
        <Button type="submit" kind={method === 'passkey' ? undefined : 'primary'} busy={enter.busy}>
          {t('Sign in')}
        </Button>
        <Button kind="quiet" onClick={onBack}>
          {t('Back')}
        </Button>
      </Form>
    </PageFrame>
  )
}
