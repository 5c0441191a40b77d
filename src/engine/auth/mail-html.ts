import { cutToCharacters } from '../../portable/cut-text.ts'
import type { Language } from '../../portable/languages.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}
export const UNESCAPED = new Map(
  Object.entries(ESCAPES).map(([character, escaped]) => [escaped, character]),
)

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character]!)

/** The language of a mail, and what it shows of its sender. */
export interface MailLook {
  readonly language: Language
  /** The https address of a logo; '' for none. */
  readonly logo: string
  /** The colours of buttons; undefined for black and white. */
  readonly color: { readonly fill: string; readonly ink: string } | undefined
}

/** A whole mail. A logo has a white ground, because programs may show mails on a dark one. */
export const renderMailLayout = (
  body: string,
  { language, logo = '', color }: Pick<MailLook, 'language'> & Partial<MailLook>,
) => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { margin: 0; padding: 20px 30px; background: #fff; color: #16161a; font: 14px/1.45 system-ui, sans-serif }
p { margin: 10px 0 }
a { color: inherit }
.btn { display: inline-block; min-width: 150px; padding: 0 20px; border-radius: 6px; background: ${color?.fill ?? '#16161a'};
  color: ${color?.ink ?? '#fff'} !important; font-weight: bold; line-height: 40px; text-align: center; text-decoration: none }
</style>
</head>
<body>
${logo && `<p><img src="${escapeHtml(logo)}" alt="" height="48" style="padding: 6px; background: #fff"></p>\n`}${body}
</body>
</html>
`

export const renderLink = (url: string, words: string, style = ''): string =>
  `<a${style && ` class="${style}"`} href="${escapeHtml(url)}" target="_blank" rel="noopener">${escapeHtml(words)}</a>`

const MAX_NAME = 60

/** A user's name for a mail's subject: one line, bounded length. */
export function formatNameForMail(name: string, unnamed: string): string {
  const line = name.replace(/[\s\p{Cc}]+/gu, ' ').trim() || unnamed
  return [...line].length > MAX_NAME ? `${cutToCharacters(line, MAX_NAME - 1)}…` : line
}
