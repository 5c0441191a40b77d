import {
  findDiscordRules,
  findMatrixRules,
  findMattermostRules,
  findNtfyRules,
  findSlackRules,
  findTelegramRules,
  type TextRules,
} from './service-texts.ts'

export interface WebhookPreset {
  /** The name of the service. A preset without one has its words in the console. */
  readonly name?: string
  /** An example of the webhook's address. */
  readonly url: string
  /** Added to an address without a path. */
  readonly path?: string
  readonly method?: 'PUT'
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the event in the form of Standard Webhooks. */
  readonly body?: Readonly<Record<string, unknown>>
  /** How the service reads texts of the body, also of one that a user wrote. */
  readonly texts?: TextRules
}

const TITLE =
  '{{#if received}}Text from {{data.from}}{{else}}Text to {{data.to}} {{data.status}}{{/if}}'
const TEXT = `${TITLE}: {{data.body}}{{#if data.error_message}} ({{data.error_message}}){{/if}}`
const BEARER = 'Bearer {{token}}'
/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
const SUPPRESS_EMBEDS = 1 << 2

/** Defaults for empty fields of a webhook with `format` `template`, by `preset`, in the console's order. */
export const WEBHOOK_PRESETS = {
  // Slack ignores `<!channel>` in `plain_text`. docs.slack.dev/messaging/formatting-message-text
  // No service shows previews of addresses, which an incoming text may have.
  slack: {
    name: 'Slack',
    url: 'https://hooks.slack.com/services/…',
    body: {
      text: '{{#if received}}A text came in{{else}}A text was {{data.status}}{{/if}}',
      blocks: [{ type: 'section', text: { type: 'plain_text', text: TEXT } }],
      unfurl_links: false,
      unfurl_media: false,
    },
    texts: findSlackRules,
  },
  discord: {
    name: 'Discord',
    url: 'https://discord.com/api/webhooks/…',
    body: { content: TEXT, allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS },
    texts: findDiscordRules,
  },
  telegram: {
    name: 'Telegram',
    url: 'https://api.telegram.org',
    path: '/bot{{token}}/sendMessage',
    body: { chat_id: '{{target}}', text: TEXT, link_preview_options: { is_disabled: true } },
    texts: findTelegramRules,
  },
  ntfy: {
    name: 'ntfy',
    url: 'https://ntfy.sh',
    headers: { authorization: `{{#if token}}${BEARER}{{/if}}` },
    body: { topic: '{{target}}', message: TEXT },
    texts: findNtfyRules,
  },
  gotify: {
    name: 'Gotify',
    url: 'https://gotify.example.com',
    path: '/message',
    headers: { 'x-gotify-key': '{{token}}' },
    body: { message: TEXT },
  },
  mattermost: {
    name: 'Mattermost',
    url: 'https://mattermost.example.com/hooks/…',
    body: { text: TEXT },
    texts: findMattermostRules,
  },
  matrix: {
    name: 'Matrix',
    url: 'https://matrix.example.com',
    path: '/_matrix/client/v3/rooms/{{target}}/send/m.room.message/{{id}}',
    method: 'PUT',
    headers: { authorization: BEARER },
    body: { msgtype: 'm.text', body: TEXT, 'm.mentions': {} },
    texts: findMatrixRules,
  },
  mail: { url: 'mailto:ann@example.com', body: { subject: TITLE, text: TEXT } },
  custom: { url: 'https://shop.example.com/hooks/sms' },
} as const satisfies Readonly<Record<string, WebhookPreset>>

export const findWebhookPreset = (name: string): WebhookPreset =>
  WEBHOOK_PRESETS[name as keyof typeof WEBHOOK_PRESETS] ?? WEBHOOK_PRESETS.custom

/** The name of the service that an address belongs to; undefined for other addresses. */
export const findServiceName = (url: string): string | undefined =>
  Object.values<WebhookPreset>(WEBHOOK_PRESETS).find(
    ({ url: own }) => !own.includes('example') && url.trim().startsWith(`${new URL(own).origin}/`),
  )?.name
