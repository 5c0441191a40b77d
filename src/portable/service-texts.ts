import { cutBetweenGraphemes } from './cut-text.ts'

// How services read the texts of a webhook's body: their limits, and how a value stays data in them.

/** How a service reads a text. `sizeOf`: in the unit of `max`, by default characters (code points). */
interface TextRule {
  readonly max: number
  readonly sizeOf?: (text: string) => number
  /** Escapes a value of an event, so that it makes no mention, link, picture or format. */
  readonly escape?: (value: string) => string
}

/** The rule for the text at a key of an object in the body; a falsy value for other texts. */
export type TextRules = (
  key: string,
  holder: Readonly<Record<string, unknown>>,
) => TextRule | false | 0 | undefined

const countCharacters = (text: string): number =>
  text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ' ').length
const countBytes = (text: string): number => new TextEncoder().encode(text).length
const countJsonBytes = (text: string): number => countBytes(JSON.stringify(text)) - 2

/** A cut within an escape: one `\` of a pair, or the start of `&lt;`. */
const CUT_ESCAPE = /(?<!\\)((?:\\\\)*)\\$|&[a-z]{0,4}$/

/**
 * Cuts a text that is too long for its service, and appends `…`. Leaves grapheme clusters and escapes whole.
 */
export function cutText(text: string, { max, sizeOf = countCharacters }: TextRule): string {
  if (sizeOf(text) <= max) return text
  let left = max - sizeOf('…')
  let end = 0
  for (const character of text) {
    left -= sizeOf(character)
    if (left < 0) break
    end += character.length
  }
  return `${cutBetweenGraphemes(text, end).replace(CUT_ESCAPE, '$1').trimEnd()}…`
}

/** An invisible character after `@`: Mattermost and Telegram would find a mention behind `\\`, too. */
const breakMentions = (value: string) => value.replace(/(?<![\p{L}\p{N}])@/gu, '@\u200b')
/** Also breaks addresses, which would be linked and shown as pictures, and Mattermost's `<!channel>`. */
const escapeMarkdown = (value: string) =>
  breakMentions(value.replace(/[\\`*_{}[\]()#+\-.!<>~|]/g, '\\$&')).replace(
    /\\<|:(?=\/\/)/g,
    '$&\u200b',
  )
const escapeHtml = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * https://docs.discord.com/developers/resources/message#embed-object-embed-limits, in code points:
 * https://github.com/discord/discord-api-docs/issues/1315
 */
const DISCORD = new Map([
  ['content', 2_000],
  ['title', 256],
  ['description', 4_096],
  ['name', 256],
  ['value', 1_024],
  ['text', 2_048],
])
export const findDiscordRules: TextRules = (key) => {
  const max = DISCORD.get(key)
  return max && { max, escape: escapeMarkdown }
}

/** https://docs.mattermost.com/administration-guide/configure/site-configuration-settings.html */
export const findMattermostRules: TextRules = (key) =>
  SHOWN.has(key) && { max: 16_383, escape: escapeMarkdown }

/** Texts of messages and attachments, which Mattermost has from Slack. */
const SHOWN: ReadonlySet<string> = new Set(['text', 'pretext', 'title', 'value', 'fallback'])

/** https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
export const findSlackRules: TextRules = (key, { type }) => {
  const isBlock = type === 'plain_text' || type === 'mrkdwn'
  const limits = { max: isBlock ? 3_000 : 40_000, sizeOf: (text: string) => text.length }
  return SHOWN.has(key) && (type === 'plain_text' ? limits : { ...limits, escape: escapeHtml })
}

/** https://core.telegram.org/bots/api#formatting-options */
const TELEGRAM_MODES = new Map([
  ['html', escapeHtml],
  ['markdown', (value: string) => value.replace(/[_*`[]/g, '\\$&')],
  ['markdownv2', (value: string) => value.replace(/[\\_*[\]()~`>#+\-=|{}.!]/g, '\\$&')],
])
export const findTelegramRules: TextRules = (key, { parse_mode }) => {
  const max = key === 'text' ? 4_096 : key === 'caption' ? 1_024 : 0
  const inMode = TELEGRAM_MODES.get(String(parse_mode).toLowerCase()) ?? ((value: string) => value)
  return max && { max, escape: (value) => breakMentions(inMode(value)) }
}

/** https://docs.ntfy.sh/publish/#limitations: 4,096 bytes of text, and 8,192 of the JSON around it */
export const findNtfyRules: TextRules = (key, { markdown: isMarkdown }) => {
  const sizeOf = (text: string) => Math.max(countBytes(text), countJsonBytes(text) * 0.52)
  return (
    key === 'message' && {
      max: 4_096,
      sizeOf,
      ...(isMarkdown === true && { escape: escapeMarkdown }),
    }
  )
}

/** https://spec.matrix.org/latest/client-server-api/#size-limits: 65,536 bytes of JSON with both bodies */
export const findMatrixRules: TextRules = (key, holder) => {
  if (key === 'formatted_body') return { max: 30_000, sizeOf: countJsonBytes, escape: escapeHtml }
  const mentions = 'm.mentions' in holder ? {} : { escape: breakMentions }
  return key === 'body' && { max: 30_000, sizeOf: countJsonBytes, ...mentions }
}
