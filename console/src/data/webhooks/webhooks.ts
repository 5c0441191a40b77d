import {
  findWebhookPreset,
  WEBHOOK_PRESETS,
  type WebhookPreset,
} from '#portable/webhook-presets.ts'
import { t } from '../../language/words.ts'
import { postRequest } from '../client.ts'

const PRESETS: Readonly<Record<string, WebhookPreset>> = WEBHOOK_PRESETS
type OfPresets = Partial<Record<keyof typeof WEBHOOK_PRESETS, string>>

/** The names of presets that are no service. */
const NAMES: Readonly<Record<string, string>> = {
  mail: t('Mail by this server'),
  custom: t('Something else'),
} satisfies OfPresets

/** How to set up services that need other steps than an incoming webhook. */
const STEPS: Readonly<Record<string, string>> = {
  discord: t('Make a webhook in the channel’s settings, and enter its URL as address.'),
  telegram: t(
    'Make a bot with @BotFather, add it to the chat, and enter its token and the chat’s id.',
  ),
  ntfy: t(
    'Enter the topic that you follow in the app. A token is needed for protected topics only.',
  ),
  gotify: t('Make an application in Gotify. Enter its token, and the address of your Gotify.'),
  matrix: t(
    'Enter your homeserver, the id of the room, and an access token of the user that writes.',
  ),
  mail: t('Enter the email address that gets the mails.'),
} satisfies OfPresets

/** Whether the templates of a preset have this placeholder, such as `{{token}}`. */
export const usesPlaceholder = (preset: string, placeholder: string): boolean =>
  preset === 'custom' || JSON.stringify(findWebhookPreset(preset)).includes(placeholder)

function makeSteps(preset: string, service: string | undefined): string | undefined {
  if (STEPS[preset] || !service) return STEPS[preset]
  const isAddressOnly = !['{{target}}', '{{token}}'].some((one) => usesPlaceholder(preset, one))
  return isAddressOnly
    ? t('Add an incoming webhook in {service}, and enter its URL as address.', { service })
    : undefined
}

/** Services that webhooks can call, and how to set them up. `''` sends in the Standard Webhooks format. */
export const WEBHOOK_SERVICES: readonly (readonly [
  preset: string,
  name: string,
  steps?: string,
])[] = [
  ['', t('A program of yours')],
  ...Object.entries(PRESETS).map(
    ([preset, { name }]) =>
      [preset, name ?? NAMES[preset] ?? preset, makeSteps(preset, name)] as const,
  ),
]

export const postWebhooks = <T>(path: string, body: object = {}) =>
  postRequest<T>(`/api/webhooks/${path}`, body)
