import type { Fault } from '../../data/fault.ts'
import { readNumbers } from '../../data/phone/number-list.ts'
import type { Hook } from '../../data/webhooks/hooks.ts'

/** The editable fields of a hook. */
export type TypedHook = Pick<
  Hook,
  | 'name'
  | 'enabled'
  | 'preset'
  | 'kind'
  | 'template'
  | 'groups'
  | 'recipients_from'
  | 'line'
  | 'once_key'
  | 'resolved'
  | 'resolved_when'
  | 'send_when'
  | 'quiet_from'
  | 'quiet_to'
> & {
  readonly recipients: string
  readonly once_minutes: string
  readonly max_parts: string
  readonly rate: string
}

export const typedOf = (hook: Hook): TypedHook => ({
  name: hook.name,
  enabled: hook.enabled,
  preset: hook.preset,
  kind: hook.kind || 'alerts',
  template: hook.template,
  recipients: hook.recipients?.join(', ') ?? '',
  groups: hook.groups,
  recipients_from: hook.recipients_from,
  line: hook.line,
  once_key: hook.once_key,
  once_minutes: String(hook.once_minutes),
  resolved: hook.resolved || 'send',
  resolved_when: hook.resolved_when,
  send_when: hook.send_when,
  quiet_from: hook.quiet_from,
  quiet_to: hook.quiet_to,
  max_parts: String(hook.max_parts || 3),
  rate: String(hook.rate),
})

/** The fields of the record that were typed. Numbers without a country are of `country`. */
export const recordOf = (typed: Partial<TypedHook>, country: string) => {
  const { recipients, once_minutes, max_parts, rate, ...rest } = typed
  return {
    ...rest,
    ...(recipients !== undefined && {
      recipients: readNumbers(recipients, country).map(({ phone }) => phone),
    }),
    ...(once_minutes !== undefined && { once_minutes: Number(once_minutes) }),
    ...(max_parts !== undefined && { max_parts: Number(max_parts) }),
    ...(rate !== undefined && { rate: Number(rate) }),
  }
}

/** The fields with a single text. */
type TextName = Exclude<keyof TypedHook, 'enabled' | 'groups'>

/** The props that bind a form field to a member. */
export const tiesOf =
  (typed: TypedHook, change: (part: Partial<TypedHook>) => void, fault: Fault | undefined) =>
  (name: TextName) => ({
    name,
    fault,
    value: typed[name],
    onValue: (value: string) => change({ [name]: value }),
  })
