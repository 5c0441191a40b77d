import type { Fault } from '../data/fault.ts'
import { t } from '../language/words.ts'
import { TextField } from '../parts/form/field.tsx'

/** The email address of an account. Browsers fill it in with the password. */
export const EmailField = (props: {
  value: string
  onValue: (email: string) => void
  fault?: Fault | undefined
}) => <TextField label={t('Email')} name="email" type="email" autocomplete="username" {...props} />
