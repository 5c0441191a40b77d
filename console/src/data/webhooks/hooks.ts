import { t } from '../../language/words.ts'
import { postRequest, serverUrl } from '../client.ts'
import type { RecordOf } from '../record-types.ts'
import { translateFault } from '../words/fault-sentences.ts'

/**
 * A URL that turns posted JSON into texts. `recipients_from`: the path of the recipients in the JSON.
 * `max_parts` limits the segments of a text, `rate` the segments to each recipient in an hour.
 */
export interface Hook extends RecordOf<'hooks'> {
  readonly recipients: readonly string[] | null
}

export type HookPreset = Hook['preset']

export interface HookResult extends Pick<HookCall, 'outcome' | 'error' | 'texts'> {
  /** The pictures that a body names: only a preview has them. */
  readonly pictures?: readonly string[]
}

export interface HookCall extends RecordOf<'hook_calls'> {
  readonly texts: readonly { readonly to: string; readonly text: string }[] | null
  readonly messages: readonly string[] | null
}

interface Tool {
  readonly name: string
  readonly setUp: string
}

export const HOOK_TOOLS: Readonly<Record<HookPreset, Tool>> = {
  alertmanager: {
    name: 'Alertmanager',
    setUp: t('In alertmanager.yml, give a receiver webhook_configs with this address as url.'),
  },
  grafana: {
    name: 'Grafana',
    setUp: t(
      'Under Alerting, Contact points, add one with the integration Webhook and this address as URL.',
    ),
  },
  'uptime-kuma': {
    name: 'Uptime Kuma',
    setUp: t(
      'Under Settings, Notifications, set up one of the type Webhook with this address as Post URL and the body application/json.',
    ),
  },
  'home-assistant': {
    name: 'Home Assistant',
    setUp: t(
      'In configuration.yaml, add a notify service with the platform rest, this address as resource and POST_JSON as method.',
    ),
  },
  github: {
    name: 'GitHub',
    setUp: t(
      'In the settings of the repository, under Webhooks, add one with this address as Payload URL and the content type application/json.',
    ),
  },
  sentry: {
    name: 'Sentry',
    setUp: t(
      'Under Settings, Integrations, make an internal integration with this address as Webhook URL, and name it in an alert rule.',
    ),
  },
  stripe: {
    name: 'Stripe',
    setUp: t(
      'Under Webhooks, add a destination with this address as endpoint URL, and choose its events.',
    ),
  },
  supabase: {
    name: 'Supabase',
    setUp: t(
      'Under Authentication, Hooks, add a Send SMS hook of the type HTTPS with this address as URL. Generate its secret, and enter it below.',
    ),
  },
  zitadel: {
    name: 'ZITADEL',
    setUp: t(
      'Add an SMS provider of the type HTTP with this address as endpoint, and activate it. Enter its signing key below.',
    ),
  },
  kratos: {
    name: 'Ory Kratos',
    setUp: t(
      'In kratos.yml, give courier.channels one with the id sms, the type http and this address as url.',
    ),
  },
  logto: {
    name: 'Logto',
    setUp: t('Under Connectors, Email and SMS, set up HTTP SMS with this address as endpoint.'),
  },
  authentik: {
    name: 'authentik',
    setUp: t(
      'In the SMS Authenticator Setup Stage, choose the provider Generic, and enter this address as External API URL.',
    ),
  },
  keycloak: {
    name: 'Keycloak',
    setUp: t(
      'In the settings of SMS Authentication (2FA), enter this address as SMS API URL, and switch off the simulation mode.',
    ),
  },
  nhost: {
    name: 'Nhost',
    setUp: t('Set up a generic SMS provider with this address as url and a body with to and text.'),
  },
  text: {
    name: t('Plain text'),
    setUp: t('POST the text to this address, with the content type text/plain.'),
  },
  custom: {
    name: t('Something else'),
    setUp: t('POST JSON to this address. The template says which of it becomes the text.'),
  },
}

export const makeHookUrl = ({ secret }: Hook) => `${serverUrl}/api/hooks/${secret}`

interface Called extends Pick<HookResult, 'outcome'> {
  readonly messages: readonly string[]
  /** An error, in the structure that Supabase expects. */
  readonly error?: { readonly message: string }
}

/** Posts an unsigned body to a hook. Returns the outcome and message ids. Throws if the hook refuses. */
export async function callHook({ secret, preset }: Hook, body: string): Promise<Called> {
  const called = await postRequest<Called>(`/api/hooks/${secret}`, body, {
    headers: { 'content-type': preset === 'text' ? 'text/plain' : 'application/json' },
  })
  if (called.error) throw new Error(translateFault(called.error.message))
  return called
}
