import type { Fault } from '../../data/fault.ts'
import type { Settings } from '../../data/settings.ts'
import { SelectField, TextField } from '../../parts/form/field.tsx'

/** The SMTP server as the form has it: the port as it was typed. */
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

/** What the server gets of it. An empty password stays as it is. */
export const bodyOf = ({ password, port, host, ...rest }: SmtpDraft): Settings['smtp'] => ({
  ...rest,
  host: host.trim(),
  port: Number(port) || 0,
  ...(password && { password }),
})

const METHODS = [
  ['', 'PLAIN'],
  ['LOGIN', 'LOGIN (Outlook)'],
] as const
const ENCRYPTIONS = [
  ['', 'STARTTLS, if offered (587)'],
  ['tls', 'TLS from the start (465)'],
] as const

/** How the server that sends mails is reached. */
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
        <TextField label="SMTP server" autocomplete="off" {...text('host')} />
        <TextField label="Port" type="number" min={1} max={65535} {...text('port')} />
      </div>
      <div class="columns">
        <TextField label="User name" autocomplete="off" {...text('username')} />
        <TextField
          label="Password"
          type="password"
          autocomplete="new-password"
          hint="Empty: it stays as it is."
          {...text('password')}
        />
      </div>
      <div class="columns">
        <SelectField
          label="Encryption"
          name="smtp.tls"
          choices={ENCRYPTIONS}
          value={value.tls ? 'tls' : ''}
          onValue={(choice) => onValue({ ...value, tls: choice !== '' })}
        />
        <SelectField
          label="Sign-in method"
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
