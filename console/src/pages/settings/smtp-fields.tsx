import type { Fault } from '../../data/fault.ts'
import type { Settings } from '../../data/settings.ts'
import { t } from '../../language/words.ts'
import { SelectField, TextField } from '../../parts/form/field.tsx'

/** The SMTP server in the form; the port is the typed text. */
export interface SmtpDraft {
  readonly enabled: boolean
  readonly host: string
  readonly port: string
  readonly username: string
  readonly password: string
  readonly authMethod: string
  readonly tls: boolean
}

export const SMTP_NAMES = [
  'smtp.host',
  'smtp.port',
  'smtp.username',
  'smtp.password',
  'smtp.authMethod',
] as const

export const draftOf = ({ enabled, host, port, username, authMethod, tls }: Settings['smtp']): SmtpDraft => ({
  enabled,
  host,
  port: String(port),
  username,
  password: '',
  authMethod,
  tls,
})

/** The settings to save. An empty password changes nothing. */
export const bodyOf = ({ password, port, host, ...rest }: SmtpDraft): Settings['smtp'] => ({
  ...rest,
  host: host.trim(),
  port: Number(port) || 0,
  ...(password && { password }),
})

const METHODS = [
  ['', 'PLAIN'],
  ['LOGIN', t('LOGIN (Outlook)')],
] as const
const ENCRYPTIONS = [
  ['', t('STARTTLS, if offered (587)')],
  ['tls', t('TLS from the start (465)')],
] as const

/** The fields of the SMTP server. */
export function SmtpFields({
  value,
  onValue,
  fault,
}: {
  value: SmtpDraft
  onValue: (value: SmtpDraft) => void
  fault: Fault | undefined
}) {
  const text = (key: 'host' | 'port' | 'username' | 'password') => ({
    name: `smtp.${key}`,
    value: value[key],
    onValue: (typed: string) => onValue({ ...value, [key]: typed }),
    fault,
  })
  return (
    <>
      <div class="columns">
        <TextField label={t('SMTP server')} autocomplete="off" {...text('host')} />
        <TextField label={t('Port')} type="number" min={1} max={65535} {...text('port')} />
      </div>
      <div class="columns">
        <TextField label={t('User name')} autocomplete="off" {...text('username')} />
        <TextField
          label={t('Password')}
          type="password"
          autocomplete="new-password"
          hint={t('Empty: it stays as it is.')}
          {...text('password')}
        />
      </div>
      <div class="columns">
        <SelectField
          label={t('Encryption')}
          name="smtp.tls"
          choices={ENCRYPTIONS}
          value={value.tls ? 'tls' : ''}
          onValue={(choice) => onValue({ ...value, tls: choice !== '' })}
        />
        <SelectField
          label={t('Sign-in method')}
          name="smtp.authMethod"
          choices={METHODS}
          value={value.authMethod === 'LOGIN' ? 'LOGIN' : ''}
          onValue={(authMethod) => onValue({ ...value, authMethod })}
          fault={fault}
        />
      </div>
    </>
  )
}
